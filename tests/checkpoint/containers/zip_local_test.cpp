#include "checkpoint/containers/zip_local.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/zip_writer.h"

namespace samestep {
namespace {

using foreign::little;
using foreign::slice_of;
using foreign::stored_record;
using foreign::ZipRecord;

constexpr std::uint16_t kWithDescriptor = 1 << 3;

/// What the record's own bytes say against the directory; empty: the same.
std::string mismatch_of(const ZipRecord& record) {
  const std::string file = foreign::zip_of({record, stored_record("next", "x")});
  const ZipArchive archive = ZipArchive::open(slice_of(file, "a.zip"));
  std::string mismatch;
  EXPECT_EQ(read_zip_local(archive.archive(), *archive.find(record.name), &mismatch),
            30 + record.name.size());
  return mismatch;
}

ZipRecord described(const std::string& signature, int width, std::uint32_t crc_error = 0,
                    std::uint64_t size_error = 0) {
  ZipRecord record = stored_record("a", "hello");
  record.flags = kWithDescriptor;
  record.descriptor = signature + little(record.crc ^ crc_error, 4) + little(5, width) +
                      little(5 + size_error, width);
  return record;
}

TEST(ZipLocal, TakesEachFormOfADataDescriptor) {
  for (const std::string signature : {"PK\7\10", ""})
    for (const int width : {4, 8})
      EXPECT_EQ(mismatch_of(described(signature, width)), "") << signature << width;
}

TEST(ZipLocal, TellsADescriptorThatDiffers) {
  for (const std::string signature : {"PK\7\10", ""})
    for (const int width : {4, 8}) {
      EXPECT_THAT(mismatch_of(described(signature, width, 1)),
                  testing::HasSubstr("the data descriptor of record 'a'"));
      EXPECT_THAT(mismatch_of(described(signature, width, 0, 16)),
                  testing::HasSubstr("the data descriptor of record 'a'"));
    }
}

TEST(ZipLocal, AsksForNoDescriptorWhereNoneIsSaid) {
  ZipRecord record = described("PK\7\10", 4, 1);
  record.flags = 0;
  EXPECT_EQ(mismatch_of(record), "");  // bytes between records are nobody's
  record.descriptor.clear();
  record.flags = kWithDescriptor;
  EXPECT_EQ(mismatch_of(record), "");  // some writers set the flag and need none
}

TEST(ZipLocal, TellsAHeaderThatDiffers) {
  ZipRecord record = stored_record("a", "hello");
  record.local_name = "b";
  EXPECT_THAT(mismatch_of(record), testing::HasSubstr("the names of record 'a'"));
}

}  // namespace
}  // namespace samestep
