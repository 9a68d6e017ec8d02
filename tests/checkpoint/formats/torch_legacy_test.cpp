#include "checkpoint/formats/torch_legacy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/leaf_text.h"
#include "tests/checkpoint/torch_writer.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::integer;
using foreign::leaf_lines;
using foreign::little;
using foreign::numbers_of;
using foreign::slice_of;
using foreign::TensorText;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

const std::string kMagic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."s;

/// A persistent id with the view that files before torch 0.4 have.
std::string legacy_tensor(const std::string& view) {
  const TensorText tensor;
  const std::string id = "(" + foreign::text("storage") + foreign::global("torch", "FloatStorage") +
                         foreign::text("0") + foreign::text("cpu") + integer(6) + view + "tQ";
  return foreign::call("torch._utils", "_rebuild_tensor",
                       id + integer(0) + foreign::integers({2}) + foreign::integers({1}));
}

std::string file_of(const std::string& object, const std::string& keys,
                    const std::string& storages) {
  return kMagic + "\x80\x02M\xe9\x03.\x80\x02}.\x80\x02"s + object + ".\x80\x02" + keys + "." +
         storages;
}

const std::string kKeys = "](" + foreign::text("0") + "e";
const std::string kStorage = little(6, 8) + foreign::floats({0, 1, 2, 3, 4, 5});

Document read(const std::string& file) { return read_torch_legacy(slice_of(file, "old.pt")); }

TEST(TorchLegacy, ReadsTensorsBehindThePickles) {
  const Document document = read(file_of(foreign::dict("w", legacy_tensor("N")), kKeys, kStorage));
  EXPECT_THAT(leaf_lines(document), ElementsAre("w: float32[2] 8 bytes"));
  EXPECT_THAT(numbers_of<float>(document.leaves[0]), ElementsAre(0, 1));
  EXPECT_EQ(document.extents.size(), 2u);
}

TEST(TorchLegacy, ReadsViewsOfStorages) {
  const std::string view = "(" + foreign::text("v") + integer(3) + integer(2) + "t";
  EXPECT_THAT(numbers_of<float>(read(file_of(legacy_tensor(view), kKeys, kStorage)).leaves[0]),
              ElementsAre(3, 4));
  const std::string far = "(" + foreign::text("v") + integer(5) + integer(2) + "t";
  EXPECT_THAT(error_text([&] { read(file_of(legacy_tensor(far), kKeys, kStorage)); }),
              HasSubstr("the view of storage '0'"));
  const std::string negative = "(" + foreign::text("v") + integer(-1) + integer(2) + "t";
  EXPECT_THAT(error_text([&] { read(file_of(legacy_tensor(negative), kKeys, kStorage)); }),
              HasSubstr("negative"));
}

TEST(TorchLegacy, IsKnownByItsMagicInEachProtocol) {
  EXPECT_TRUE(is_torch_legacy(slice_of(kMagic).bytes));
  EXPECT_TRUE(
      is_torch_legacy(slice_of("\x80\x04\x95\x0d\0\0\0\0\0\0\0"s + kMagic.substr(2)).bytes));
  EXPECT_FALSE(is_torch_legacy(slice_of("\x80\x02\x8a\x0a.........."s).bytes));
  EXPECT_FALSE(is_torch_legacy({}));
}

struct Bad {
  const char* name;
  std::string file;
  const char* message;
};

const std::string kObject = legacy_tensor("N");

const Bad kBad[] = {
    {"version", kMagic + "\x80\x02K\x05."s, "version of the non-ZIP torch.save format is not 1001"},
    {"cut_in_pickles", kMagic + "\x80\x02M\xe9\x03.\x80\x02"s, "ends without STOP"},
    {"keys_no_list", file_of(kObject, "N", kStorage), "the list of storages is no list"},
    {"unused_key", file_of(kObject, "](" + foreign::text("9") + "e", kStorage),
     "one that no tensor uses"},
    {"key_twice",
     file_of(kObject, "](" + foreign::text("0") + foreign::text("0") + "e", kStorage + kStorage),
     "one twice"},
    {"missing_key", file_of(kObject, "]", ""), "storage '0' is not in the file"},
    {"cut_in_storage", file_of(kObject, kKeys, kStorage.substr(0, 20)), "12 bytes are left"},
    {"huge", file_of(kObject, kKeys, little(std::uint64_t{1} << 61, 8)),
     "should have 2305843009213693952 elements"},
    {"other_size", file_of(kObject, kKeys, little(5, 8) + kStorage.substr(8)),
     "has 5 elements, its tensors say 6"},
};

class BadLegacy : public testing::TestWithParam<Bad> {};

TEST_P(BadLegacy, IsRefused) {
  EXPECT_THAT(error_text([] { read(GetParam().file); }), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Cases, BadLegacy, testing::ValuesIn(kBad),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace samestep
