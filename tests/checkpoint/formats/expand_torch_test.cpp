#include "checkpoint/formats/expand_torch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/formats/torch_zip.h"
#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/leaf_text.h"
#include "tests/checkpoint/torch_writer.h"

namespace samestep {
namespace {

using foreign::call;
using foreign::error_text;
using foreign::global;
using foreign::integer;
using foreign::integers;
using foreign::leaf_lines;
using foreign::numbers_of;
using foreign::TensorText;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using namespace std::string_literals;

/// The archive of one object, with storage "0" of 24 bytes.
Document read(const std::string& object) {
  return read_torch_zip(
      foreign::slice_of(foreign::zip_of(foreign::torch_records(object)), "ckpt.pt"));
}

std::string utils(const std::string& name, const std::string& args) {
  return call("torch._utils", name, args);
}

struct Case {
  const char* name;
  std::string object;
  std::vector<std::string> lines;
};

TensorText of_class(std::string storage_class, std::int64_t elements) {
  TensorText tensor;
  tensor.storage_class = std::move(storage_class);
  tensor.elements = elements;
  tensor.shape = {elements};
  tensor.strides = {1};
  return tensor;
}

std::string v3(const std::string& dtype, std::int64_t elements) {
  TensorText tensor = of_class("UntypedStorage", 24);
  tensor.shape = {elements};
  return utils("_rebuild_tensor_v3",
               foreign::view_arguments(tensor) + "\x89N" + global("torch", dtype));
}

const Case kCases[] = {
    {"v1", utils("_rebuild_tensor", foreign::view_arguments({})), {"float32[2,3] 24 bytes"}},
    {"v2", foreign::tensor(), {"float32[2,3] 24 bytes"}},
    {"double", foreign::tensor(of_class("DoubleStorage", 3)), {"float64[3] 24 bytes"}},
    {"half", foreign::tensor(of_class("HalfStorage", 12)), {"float16[12] 24 bytes"}},
    {"bfloat16", foreign::tensor(of_class("BFloat16Storage", 12)), {"bfloat16[12] 24 bytes"}},
    {"bool", foreign::tensor(of_class("BoolStorage", 24)), {"bool[24] 24 bytes"}},
    {"complex", foreign::tensor(of_class("ComplexFloatStorage", 3)), {"complex64[3] 24 bytes"}},
    {"untyped", foreign::tensor(of_class("UntypedStorage", 24)), {"uint8[24] 24 bytes"}},
    {"v3_float8", v3("float8_e4m3fn", 24), {"float8_e4m3fn[24] 24 bytes"}},
    {"v3_uint16", v3("uint16", 12), {"uint16[12] 24 bytes"}},
    {"parameter",
     utils("_rebuild_parameter", foreign::tensor() + "\x88N"),
     {"float32[2,3] 24 bytes"}},
    {"parameter_with_state",
     utils("_rebuild_parameter_with_state", foreign::tensor() + "\x88NN"),
     {"float32[2,3] 24 bytes"}},
    {"parameter_with_attributes",
     utils("_rebuild_parameter_with_state",
           foreign::tensor() + "\x88N" + foreign::dict("tag", integer(5))),
     {"float32[2,3] 24 bytes", ".tag: int 5"}},
    {"dtype_of_a_newer_torch",
     v3("int3", 24),
     {"opaque torch.int3", ".storage/.dtype: str \"torch.uint8\"",
      ".storage/._untyped_storage: uint8[24] 24 bytes", ".storage_offset: int 0", ".size/0: int 24",
      ".stride/0: int 1"}},
    {"subclass",
     call("torch._tensor", "_rebuild_from_type_v2",
          global("torch._utils", "_rebuild_tensor_v2") + global("m", "Tagged") + "(" +
              foreign::view_arguments({}) + "\x89Nt" + foreign::dict("tag", integer(5))),
     {"float32[2,3] 24 bytes", ".tag: int 5"}},
    {"subclass_of_unknown_make",
     call("torch._tensor", "_rebuild_from_type_v2",
          global("m", "make") + global("m", "Sharded") + "(" + integer(1) + "t" +
              foreign::dict("_local", foreign::tensor())),
     {"opaque m.Sharded", ".__args__/0: int 1", "._local: float32[2,3] 24 bytes"}},
    {"quantised",
     utils("_rebuild_qtensor", foreign::view_arguments(of_class("QInt8Storage", 24)) + "(" +
                                   global("torch", "per_tensor_affine") + "G\x3f\xe0\0\0\0\0\0\0"s +
                                   integer(3) + "t\x89N"),
     {"qint8[24] 24 bytes", ".qscheme: opaque torch.per_tensor_affine", ".scale: float 0.5",
      ".zero_point: int 3"}},
    {"sparse",
     utils("_rebuild_sparse_tensor",
           call("torch.serialization", "_get_layout", foreign::text("torch.sparse_coo")) + "(" +
               foreign::tensor(of_class("LongStorage", 3)) + foreign::tensor() + integers({4, 4}) +
               "\x88t"),
     {"opaque torch.sparse", ".layout: str \"torch.sparse_coo\"", ".indices: int64[3] 24 bytes",
      ".values: float32[2,3] 24 bytes", ".size/0: int 4", ".size/1: int 4",
      ".is_coalesced: bool true"}},
    {"nested",
     utils("_rebuild_nested_tensor", foreign::tensor() + "NNN"),
     {"opaque torch.nested", ".buffer: float32[2,3] 24 bytes", ".sizes: none None",
      ".strides: none None", ".storage_offsets: none None"}},
    {"meta",
     utils("_rebuild_meta_tensor_no_storage",
           global("torch", "float32") + integers({2, 3}) + integers({3, 1}) + "\x89"),
     {"float32[2,3] 0 bytes"}},
    {"storage",
     foreign::storage({}),
     {".dtype: str \"torch.float32\"", "._untyped_storage: uint8[24] 24 bytes"}},
    {"size", call("torch", "Size", integers({2, 3})), {"numbers [2, 3]"}},
    {"dtype", global("torch", "bfloat16"), {"str \"torch.bfloat16\""}},
    {"device", call("torch", "device", foreign::text("cuda") + integer(1)), {"str \"cuda:1\""}},
    {"script_list",
     call("torch.jit._pickle", "build_intlist", "](" + integer(1) + integer(2) + "e"),
     {"0: int 1", "1: int 2"}},
    {"libtorch_module",
     global("__torch__", "Module") + ")\x81}" + foreign::text("a") +
         global("__torch__.___torch_mangle_0", "Module") + ")\x81" +
         foreign::dict("w", foreign::tensor()) + "bsb",
     {"a/w: float32[2,3] 24 bytes"}},
    {"script_module",
     global("__torch__", "Net") + ")\x81}(" + foreign::text("training") + "\x88" +
         foreign::text("l") + global("__torch__", "Linear") + ")\x81}(" +
         foreign::text("training") + "\x89" + foreign::text("weight") + foreign::tensor() + "ubub",
     {"training: bool true", "l.training: bool false", "l.weight: float32[2,3] 24 bytes"}},
};

class TorchValue : public testing::TestWithParam<Case> {};

TEST_P(TorchValue, HasTheseLeaves) {
  EXPECT_THAT(leaf_lines(read(GetParam().object)), ElementsAreArray(GetParam().lines));
}

INSTANTIATE_TEST_SUITE_P(Cases, TorchValue, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(TorchTensor, LazyBitsAreApplied) {
  TensorText tensor;
  tensor.more = foreign::dict("neg", "\x88");
  EXPECT_THAT(numbers_of<float>(read(foreign::tensor(tensor)).leaves[0]),
              ElementsAre(-0.0f, -1, -2, -3, -4, -5));
  TensorText complex = of_class("ComplexFloatStorage", 3);
  complex.more = foreign::dict("conj", "\x88");
  EXPECT_THAT(numbers_of<float>(read(foreign::tensor(complex)).leaves[0]),
              ElementsAre(0, -1, 2, -3, 4, -5));
}

TEST(TorchTensor, ParametersSayClassAndGradient) {
  const Leaf leaf = read(utils("_rebuild_parameter", foreign::tensor() + "\x88N")).leaves[0];
  EXPECT_EQ(leaf.class_name, "torch.nn.parameter.Parameter");
  EXPECT_EQ(leaf.layout.requires_grad, true);
  EXPECT_EQ(read(foreign::tensor()).leaves[0].layout.requires_grad, false);
}

struct Bad {
  const char* name;
  std::string object;
  const char* message;
};

std::string wrapped(int times) {
  std::string args = "(" + foreign::view_arguments({}) + "\x89Nt";
  std::string callee = global("torch._utils", "_rebuild_tensor_v2");
  for (int i = 0; i < times; ++i) {
    args = "(" + callee + global("m", "T") + args + "Nt";
    callee = global("torch._tensor", "_rebuild_from_type_v2");
  }
  return callee + args + "R";
}

const Bad kBad[] = {
    {"no_arguments", utils("_rebuild_tensor_v2", ""), "_rebuild_tensor_v2 has 0 arguments, not 6"},
    {"no_storage", utils("_rebuild_tensor_v2", "NNNNNN"), "the tensor's storage is no storage"},
    {"unknown_class", foreign::tensor(of_class("QuuxStorage", 6)),
     "storage class 'torch.QuuxStorage' is not known"},
    {"unknown_dtype",
     utils("_rebuild_meta_tensor_no_storage",
           global("torch", "float7") + integers({2}) + integers({1}) + "\x89"),
     "the dtype 'torch.float7' is not known"},
    {"dtype_of_no_torch",
     utils("_rebuild_tensor_v3", foreign::view_arguments(of_class("UntypedStorage", 24)) + "\x89N" +
                                     global("os", "float32")),
     "the dtype 'os.float32' is not known"},
    {"shape_no_tuple", utils("_rebuild_tensor", foreign::storage({}) + integer(0) + "NN"),
     "the tensor's shape is no tuple"},
    {"offset_text", utils("_rebuild_tensor", foreign::storage({}) + foreign::text("0") + ")" + ")"),
     "the tensor's offset is no integer"},
    {"metadata_of_many",
     [] {
       TensorText tensor;
       tensor.more = "}(";
       for (int i = 0; i < 20; ++i) tensor.more += integer(i) + "N";
       tensor.more += "u";
       return foreign::tensor(tensor);
     }(),
     "more than torch writes"},
    {"device_without_type", call("torch", "device", ""), "the device has no type"},
    {"size_of_nothing", call("torch", "Size", ""), "torch.Size has no one argument"},
    {"wrapped_too_deep", wrapped(20), "wrapped too deep"},
    {"meta_negative",
     utils("_rebuild_meta_tensor_no_storage",
           global("torch", "float32") + integers({-1}) + integers({1}) + "\x89"),
     "negative or overflows"},
};

class BadTensor : public testing::TestWithParam<Bad> {};

TEST_P(BadTensor, IsRefused) {
  EXPECT_THAT(error_text([] { read(foreign::dict("w", GetParam().object)); }),
              HasSubstr(GetParam().message));
  EXPECT_THAT(error_text([] { read(foreign::dict("w", GetParam().object)); }),
              HasSubstr("ckpt.pt: w: "));
}

INSTANTIATE_TEST_SUITE_P(Cases, BadTensor, testing::ValuesIn(kBad),
                         [](const auto& test) { return test.param.name; });

TEST(TorchTensor, WrappersThatTorchWritesAreFollowed) {
  EXPECT_THAT(leaf_lines(read(wrapped(3))), ElementsAre("float32[2,3] 24 bytes"));
}

}  // namespace
}  // namespace samestep
