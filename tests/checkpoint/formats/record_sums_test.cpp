// Tensors of a torch.save file with the checksums of their records.
#include "checkpoint/formats/record_sums.h"

#include <gmock/gmock.h>

#include "schemas/error.h"
#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/torch_writer.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using namespace foreign;

TEST(RecordSums, ATensorPointsAtItsRecord) {
  const TemporaryFolder folder;
  const auto records = torch_records(dict("weight", tensor()));
  folder.write("a.pt", zip_of(records));
  const RecordSums sums = read_record_sums(folder / "a.pt");
  ASSERT_EQ(sums.tree.entries().size(), 1U);
  ASSERT_EQ(sums.records.size(), 1U);
  EXPECT_EQ(sums.tree.entries()[0].field.layout.storage, 0);
  EXPECT_EQ(sums.records[0].name, "data/0");
  EXPECT_EQ(sums.records[0].bytes, 24U);
  EXPECT_EQ(sums.records[0].crc32, records[2].crc);
}

TEST(RecordSums, AWriterThatKeptNoneIsSeen) {
  const TemporaryFolder folder;
  auto records = torch_records(dict("weight", tensor()));
  for (ZipRecord& record : records) record.crc = 0;
  folder.write("a.pt", zip_of(records));
  EXPECT_FALSE(read_record_sums(folder / "a.pt").records.at(0).crc32);
}

TEST(RecordSums, OtherFilesAreRefused) {
  const TemporaryFolder folder;
  folder.write("plain.pt", "no archive");
  folder.write("other.zip", zip_of({stored_record("a/b", "c")}));
  auto lacking = torch_records(dict("weight", tensor()));
  lacking.erase(lacking.begin() + 2);
  folder.write("lacking.pt", zip_of(lacking));
  for (const char* name : {"plain.pt", "other.zip", "lacking.pt", "none.pt"})
    EXPECT_THROW(read_record_sums(folder / name), Error) << name;
}

TEST(RecordSums, AFolderAndAnEmptyFileAreToldAsWhatTheyAre) {
  const TemporaryFolder folder;
  folder.write("empty.pt", "");
  EXPECT_THAT(error_text([&] { read_record_sums(folder / "empty.pt"); }),
              testing::HasSubstr("empty.pt: is empty; the save was interrupted"));
  EXPECT_THAT(error_text([&] { read_record_sums(folder.path()); }),
              testing::HasSubstr("is a folder, which keeps no checksums of single tensors"));
}

}  // namespace
}  // namespace samestep
