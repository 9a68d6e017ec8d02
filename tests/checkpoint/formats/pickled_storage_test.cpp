#include "checkpoint/formats/pickled_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/formats/pickle_leaves.h"
#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/leaf_text.h"
#include "tests/checkpoint/torch_writer.h"

namespace samestep {
namespace {

using foreign::call;
using foreign::error_text;
using foreign::integer;
using foreign::integers;
using foreign::leaf_lines;
using foreign::little;
using foreign::numbers_of;
using foreign::TensorText;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

std::string bytes(const std::string& data) { return "B" + little(data.size(), 4) + data; }

/// A torch.save, without ZIP, of `object`, with storage "0" of six floats.
std::string saved(const std::string& object) {
  return "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}.\x80\x02"s +
         object + ".\x80\x02](" + foreign::text("0") + "e." + little(6, 8) +
         foreign::floats({0, 1, 2, 3, 4, 5});
}

std::string loaded(const std::string& file) {
  return call("torch.storage", "_load_from_bytes", bytes(file));
}

/// As pickle.dumps(tensor) writes it.
std::string pickled_tensor(const std::string& storage) {
  return call("torch._utils", "_rebuild_tensor_v2",
              storage + integer(2) + integers({2}) + integers({1}) + "\x89N");
}

Document read(const std::string& object) {
  return read_bare_pickle(foreign::slice_of("\x80\x03" + object + ".", "p.pkl"));
}

TEST(PickledStorage, IsTheStorageOfAPlainlyPickledTensor) {
  const Document document = read(pickled_tensor(loaded(saved(foreign::storage({})))));
  EXPECT_THAT(leaf_lines(document), ElementsAre("float32[2] 8 bytes"));
  EXPECT_THAT(numbers_of<float>(document.leaves[0]), ElementsAre(2, 3));
  EXPECT_EQ(document.leaves[0].layout.device, "cpu");
  EXPECT_EQ(document.leaves[0].layout.storage, -1);
}

TEST(PickledStorage, StandsAloneToo) {
  EXPECT_THAT(
      leaf_lines(read(loaded(saved(foreign::storage({}))))),
      ElementsAre(".dtype: str \"torch.float32\"", "._untyped_storage: uint8[24] 24 bytes"));
}

TEST(PickledStorage, OtherObjectsStayOpaque) {
  EXPECT_THAT(leaf_lines(read(loaded(saved(foreign::storage({}) + "0K\x05"))))[0],
              HasSubstr("opaque torch.storage._load_from_bytes"));
  EXPECT_THAT(leaf_lines(read(loaded("words")))[0],
              HasSubstr("opaque torch.storage._load_from_bytes"));
}

TEST(PickledStorage, DamageIsAnError) {
  const std::string whole = saved(foreign::storage({}));
  EXPECT_THAT(error_text([&] { read(pickled_tensor(loaded(whole.substr(0, whole.size() - 1)))); }),
              HasSubstr("should have 6 elements"));
  EXPECT_THAT(error_text([&] { read(pickled_tensor(loaded("words"))); }),
              HasSubstr("the tensor's storage is no storage"));
}

TEST(PickledStorage, ManyReferencesToOneAreCounted) {
  // The storage's own pickle is long, and each tensor that refers to it would read it again.
  const std::string file = saved("]" + std::string(1 << 20, 'N') + std::string(1 << 20, '0') + "0" +
                                 foreign::storage({}));
  std::string object = "(" + loaded(file) + "q\0"s;
  for (int i = 0; i < 2000; ++i) object += pickled_tensor("h\0"s);
  EXPECT_THAT(error_text([&] { read(object + "l"); }), HasSubstr("far more values than it holds"));
}

}  // namespace
}  // namespace samestep
