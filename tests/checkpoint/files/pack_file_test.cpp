// A file written in parts: whole under a name of its own, or not there.
#include "checkpoint/files/pack_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <thread>

#include "checkpoint/files/folder.h"
#include "limits.h"
#include "schemas/error.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

class PackFileTest : public testing::Test {
 protected:
  std::function<std::string(int)> names() const {
    return [this](int n) { return folder / (std::to_string(n) + ".pack"); };
  }
  std::vector<std::string> files() const {
    std::vector<std::string> list;
    for (const Entry& entry : list_folder(folder.path())) list.push_back(entry.path);
    return list;
  }
  TemporaryFolder folder;
};

TEST_F(PackFileTest, PartsComeInAnyOrder) {
  PackFile file(names());
  std::thread other([&] { file.write_at(5, bytes_of("world")); });
  file.write_at(0, bytes_of("hello"));
  other.join();
  EXPECT_THAT(files(), testing::ElementsAre(".0.pack.part"));
  file.commit();
  EXPECT_THAT(files(), testing::ElementsAre("0.pack"));
  EXPECT_EQ(file_text(folder / "0.pack"), "helloworld");
}

TEST_F(PackFileTest, ANameThatIsTakenIsLeftAlone) {
  put_file(folder / "0.pack", "first");
  put_file(folder / ".1.pack.part", "of a killed writer");
  PackFile file(names()), another(names());
  EXPECT_EQ(file.number(), 2);
  EXPECT_EQ(another.number(), 3);
  another.write_at(0, bytes_of("another"));
  another.commit();
  file.commit();
  EXPECT_EQ(file_text(folder / "0.pack"), "first");
  EXPECT_EQ(file_text(folder / "3.pack"), "another");
}

TEST_F(PackFileTest, WithoutCommitNothingIsLeft) {
  { PackFile(names()).write_at(0, bytes_of("x")); }
  EXPECT_TRUE(files().empty());
}

TEST_F(PackFileTest, AFullDiskIsTold) {
  const FileSizeLimit limit(100'000);
  PackFile file(names());
  EXPECT_THROW(file.write_at(50'000, std::vector<std::byte>(100'000)), Error);
}

TEST_F(PackFileTest, AFolderThatIsNotThereIsTold) {
  EXPECT_THROW(PackFile([this](int) { return folder / "none/0.pack"; }), Error);
}

}  // namespace
}  // namespace samestep
