#include "checkpoint/formats/folder_reader.h"

#include <gmock/gmock.h>

#include <set>

#include "../sample_copy.h"
#include "checkpoint/formats/dcp.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using testing::Contains;
using testing::HasSubstr;

Document read(const TemporaryFolder& scratch) { return read_folder(Folder(scratch.path()), ""); }

void copy_sample(const TemporaryFolder& scratch, const std::string& sample,
                 const std::string& name) {
  std::filesystem::create_directories(std::filesystem::path(scratch / name).parent_path());
  std::filesystem::copy_file(foreign::sample(sample), scratch / name);
}

TEST(FolderReader, UnitesWhatItCanRead) {
  const TemporaryFolder scratch;
  copy_sample(scratch, "handed/safetensors-basic/model.safetensors", "weights.bin");
  copy_sample(scratch, "handed/torch-optim-sgd/ckpt.pt", "state/optimizer");
  scratch.write("progress.json", R"({"step": 3})");
  scratch.write("README.md", "words");
  scratch.write("train.py", "import os");
  scratch.write("whatever", "words");
  const Document document = read(scratch);
  EXPECT_EQ(document.format, "folder");
  std::set<std::string> files;
  for (const Leaf& leaf : document.leaves) files.insert(leaf.source.file);
  EXPECT_THAT(files, testing::ElementsAre("progress.json", "state/optimizer", "weights.bin"));
  EXPECT_THAT(document.notes, Contains(HasSubstr("README.md: a text")));
  EXPECT_THAT(document.notes, Contains(HasSubstr("train.py: code")));
  EXPECT_THAT(document.notes, Contains(HasSubstr("whatever: of no known format")));
}

TEST(FolderReader, ReadsAFileOnceThatALinkBesideItNamesToo) {
  const TemporaryFolder scratch;
  copy_sample(scratch, "handed/safetensors-basic/model.safetensors", "model.safetensors");
  std::filesystem::create_symlink("model.safetensors", scratch / "latest.safetensors");
  const Document document = read(scratch);
  for (const Leaf& leaf : document.leaves) EXPECT_EQ(leaf.source.file, "model.safetensors");
  EXPECT_THAT(document.notes,
              Contains(HasSubstr("latest.safetensors: a link to model.safetensors")));
}

TEST(FolderReader, ReadsWhatLiesBesideTheShardsOfADistributedCheckpoint) {
  const TemporaryFolder scratch;
  std::filesystem::copy(foreign::sample("handed/dcp-single-rank"), scratch.path(),
                        std::filesystem::copy_options::recursive);
  const std::size_t leaves = read_dcp(Folder(scratch.path()), "").leaves.size();
  scratch.write("extra.json", R"({"words": 3})");
  std::filesystem::remove(scratch / "sample.json");
  EXPECT_EQ(read(scratch).leaves.size(), leaves + 1);
}

TEST(FolderReader, RefusesFilesThatPromiseACheckpointAndAreNone) {
  const TemporaryFolder scratch;
  copy_sample(scratch, "handed/safetensors-basic/model.safetensors", "model.safetensors");
  scratch.write("optimizer.pt", "");
  EXPECT_THROW(read(scratch), Error);
  scratch.write("optimizer.pt", std::string(100, '\0'));
  EXPECT_THROW(read(scratch), Error);
}

TEST(FolderReader, LeavesOtherProgramsJsonAside) {
  const TemporaryFolder scratch;
  copy_sample(scratch, "handed/safetensors-basic/model.safetensors", "model.safetensors");
  scratch.write("odd.json", "{ // a comment\n}");
  EXPECT_THAT(read(scratch).notes, Contains(HasSubstr("odd.json")));
}

TEST(FolderReader, ReadsKnownLayoutsInsideUnknownFolders) {
  const TemporaryFolder scratch;
  std::filesystem::copy(foreign::sample("handed/dcp-single-rank"), scratch / "shards");
  std::filesystem::remove(scratch / "shards/sample.json");
  scratch.write("step.json", R"({"step": 5})");
  const Document document = read(scratch);
  EXPECT_THAT(document.notes, Contains("shards: read as DCP"));
  EXPECT_EQ(document.leaves[0].source.file, "step.json");
  EXPECT_EQ(document.leaves[1].source.file, "shards/.metadata");
}

TEST(FolderReader, SaysThatThereIsNothing) {
  const TemporaryFolder scratch;
  scratch.write("README.md", "words");
  EXPECT_THAT([&] { read(scratch); },
              testing::ThrowsMessage<Error>(HasSubstr("nothing that samestep can read")));
}

TEST(FolderReader, ListsOneLevel) {
  const TemporaryFolder scratch;
  for (const char* name : {"a/b/c", "a/d", "e", "ab/f"}) scratch.write(name, "x");
  const Folder folder(scratch.path());
  EXPECT_THAT(folders_in(folder, ""), testing::ElementsAre("a", "ab"));
  EXPECT_THAT(folders_in(folder, "a"), testing::ElementsAre("b"));
  EXPECT_THAT(files_in(folder, ""), testing::ElementsAre("e"));
  EXPECT_THAT(files_in(folder, "a"), testing::ElementsAre("a/d"));
}

}  // namespace
}  // namespace samestep
