#include "checkpoint/formats/torch_zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/leaf_text.h"
#include "tests/checkpoint/torch_writer.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::leaf_lines;
using foreign::numbers_of;
using foreign::slice_of;
using foreign::stored_record;
using foreign::TensorText;
using foreign::torch_records;
using foreign::ZipRecord;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Document read(const std::vector<ZipRecord>& records) {
  return read_torch_zip(slice_of(foreign::zip_of(records), "ckpt.pt"));
}

std::vector<ZipRecord> with_tensor() {
  return torch_records(foreign::dict("w", foreign::tensor()));
}

TEST(TorchZip, GivesViewsAndTheExtentOfEachRecord) {
  const Document document = read(with_tensor());
  EXPECT_THAT(leaf_lines(document), ElementsAre("w: float32[2,3] 24 bytes"));
  EXPECT_THAT(numbers_of<float>(document.leaves[0]), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(document.leaves[0].layout.device, "cpu");
  EXPECT_EQ(document.leaves[0].source.file, "ckpt.pt");
  ASSERT_EQ(document.extents.size(), 4u);
  EXPECT_EQ(document.extents[2].name, "ckpt.pt: w");
  EXPECT_EQ(document.extents[2].bytes, 24u);
  EXPECT_TRUE(document.extents[2].crc32.has_value());
}

TEST(TorchZip, BigEndianStoragesAreSwapped) {
  auto records = with_tensor();
  records[1] = stored_record("ckpt/byteorder", "big");
  records[2] = stored_record("ckpt/data/0", std::string("\x3f\x80\0\0", 4) + std::string(20, '\0'));
  EXPECT_THAT(numbers_of<float>(read(records).leaves[0]), ElementsAre(1, 0, 0, 0, 0, 0));
}

TEST(TorchZip, RecordsMayBeDeflated) {
  auto records = with_tensor();
  records[2] = foreign::deflated_record("ckpt/data/0", foreign::floats({0, 1, 2, 3, 4, 5}));
  const Document document = read(records);
  EXPECT_THAT(numbers_of<float>(document.leaves[0]), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_FALSE(document.extents[2].crc32.has_value());
}

TEST(TorchZip, TensorsOfOneStorageShareItsNumber) {
  const Document document = read(torch_records("(" + foreign::tensor() + foreign::tensor() + "t"));
  EXPECT_EQ(document.leaves[0].layout.storage, document.leaves[1].layout.storage);
}

TEST(TorchZip, DamagedPicklesAndHeadersAreProblemsOfAReadableFile) {
  auto records = with_tensor();
  records[0].crc ^= 1;
  records[2].local_name = "ckpt/data/1";
  const Document document = read(records);
  ASSERT_EQ(document.problems.size(), 2u);
  EXPECT_THAT(document.problems[0].message, HasSubstr("their checksum does not match"));
  EXPECT_THAT(document.problems[1].message, HasSubstr("names of record 'ckpt/data/0'"));
}

TEST(TorchZip, HeadersOfRecordsThatNoTensorNeedsAreCheckedToo) {
  auto records = torch_records(foreign::tensor());
  records.push_back(foreign::stored_record("ckpt/extra", "words"));
  records.back().local_name = "ckpt/other";
  const Document document = read(records);
  ASSERT_EQ(document.problems.size(), 1u);
  EXPECT_THAT(document.problems[0].message, HasSubstr("the names of record 'ckpt/extra'"));
}

TEST(TorchZip, NoChecksumsAreNoDamage) {
  auto records = with_tensor();
  for (ZipRecord& record : records) record.crc = 0;
  const Document document = read(records);
  EXPECT_THAT(document.problems, IsEmpty());
  EXPECT_THAT(document.notes, Contains("no checksums were kept"));
  EXPECT_FALSE(document.extents[2].crc32.has_value());
}

TEST(TorchZip, UnusedRecordsAndTrailingBytesAreNoted) {
  auto records = torch_records("N.xx");
  const Document document = read(records);
  EXPECT_THAT(document.notes, Contains(HasSubstr("3 bytes follow the pickle")));
  EXPECT_THAT(document.notes, Contains("1 records are referred to by nothing"));
}

struct Bad {
  const char* name;
  std::vector<ZipRecord> records;
  const char* message;
};

std::vector<ZipRecord> changed(std::size_t record, ZipRecord by) {
  auto records = with_tensor();
  records[record] = std::move(by);
  return records;
}

std::vector<ZipRecord> with(const TensorText& tensor) {
  return torch_records(foreign::dict("w", foreign::tensor(tensor)));
}

TensorText keyed(std::string key, std::int64_t elements = 6) {
  TensorText tensor;
  tensor.key = std::move(key);
  tensor.elements = elements;
  return tensor;
}

const Bad kBad[] = {
    {"no_pickle", {stored_record("ckpt/version", "3")}, "holds no data.pkl"},
    {"pickle_at_the_root", {stored_record("data.pkl", "N.")}, "holds no data.pkl"},
    {"two_roots",
     {stored_record("a/data.pkl", "N."), stored_record("b/data.pkl", "N.")},
     "two folders hold a data.pkl"},
    {"byte_order", changed(1, stored_record("ckpt/byteorder", "middle")),
     "the byte order is 'middle'"},
    {"version", changed(3, stored_record("ckpt/version", "99\n")), "version '99'"},
    {"version_text", changed(3, stored_record("ckpt/version", "x")), "version 'x'"},
    {"missing_record", with(keyed("7")),
     "ckpt.pt: w: the tensor lies in record 'ckpt/data/7', which is missing"},
    {"key_with_a_path", with(keyed("0/../0")), "is missing"},
    {"short_record", with(keyed("0", 7)), "should have 28 bytes, its record 'ckpt/data/0' has 24"},
    {"huge_storage", with(keyed("0", INT64_MAX)), "negative or overflows"},
    {"negative_storage", with(keyed("0", -6)), "negative or overflows"},
};

class BadTorchZip : public testing::TestWithParam<Bad> {};

TEST_P(BadTorchZip, IsRefused) {
  const std::string text = error_text([] { read(GetParam().records); });
  EXPECT_THAT(text, HasSubstr(GetParam().message));
  EXPECT_THAT(text, HasSubstr("ckpt.pt"));
}

INSTANTIATE_TEST_SUITE_P(Cases, BadTorchZip, testing::ValuesIn(kBad),
                         [](const auto& test) { return test.param.name; });

TEST(TorchZip, InflatesOnlySoMuch) {
  auto records = with_tensor();
  records[2].method = 8;
  records[2].bytes = 0xFFFFFFF0;
  EXPECT_THAT(error_text([&] { read(records); }), HasSubstr("inflates to 4294967280 bytes"));
}

}  // namespace
}  // namespace samestep
