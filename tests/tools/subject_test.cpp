#include "tools/subject.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "schemas/json/inspect_json.h"
#include "tests/capture/session_fixture.h"
#include "tests/schemas/json/expect_error.h"
#include "tests/schemas/validation.h"
#include "tests/support/test_data.h"

namespace samestep {
namespace {

const std::string kSamples = test_data("samples/");

class SubjectTest : public SessionTest {
 protected:
  std::string captured_run() {
    plan.at = 2;
    train(*open(), 4);
    return plan.run;
  }
};

TEST_F(SubjectTest, ACaptureIsInspectedByRank) {
  const std::string run = captured_run();
  const Inspection inspection = inspect_subject(run, open_subject(run), {true, true});
  EXPECT_EQ(inspection.format, "samestep capture");
  EXPECT_EQ(inspection.step, 2);
  ASSERT_EQ(inspection.fields.size(), 2u);
  EXPECT_EQ(inspection.components.at("model").bytes, 12u);
  for (const InspectedField& entry : inspection.fields) {
    EXPECT_TRUE(entry.field.digest);
    EXPECT_EQ(entry.sha256.size(), 64u);
  }
  EXPECT_EQ(validation_errors("inspect.v1", inspection_to_json(inspection)), "");
}

TEST_F(SubjectTest, DigestsAreLeftOutUnlessAsked) {
  const std::string run = captured_run();
  for (const InspectedField& entry : inspect_subject(run, open_subject(run), {}).fields) {
    EXPECT_FALSE(entry.field.digest);
    EXPECT_EQ(entry.sha256, "");
  }
}

TEST_F(SubjectTest, AMissingPackIsAWarningAndNoObstacle) {
  const std::string run = captured_run();
  remove_tree(run + "/.samestep/captures/2/rank-0.0.pack");
  const Inspection inspection = inspect_subject(run, open_subject(run), {true, true});
  ASSERT_EQ(inspection.warnings.size(), 1u);
  EXPECT_EQ(
      inspection.warnings[0],
      "captures/2/rank-0.0.pack is not there; lost with it: the bytes of 2 fields of capture 2 "
      "(loop/step, model/weight)");
  for (const InspectedField& entry : inspection.fields) {
    EXPECT_TRUE(entry.field.digest);
    EXPECT_EQ(entry.sha256, "");
  }
}

TEST_F(SubjectTest, ACheckpointIsInspected) {
  const std::string path = kSamples + "handed/torch-zip-proto2";
  const Inspection inspection = inspect_subject(path, open_subject(path), {true, false});
  EXPECT_EQ(inspection.path, path);
  EXPECT_GT(inspection.fields.size(), 2u);
  std::uint64_t fields = 0;
  for (const auto& [name, count] : inspection.components) fields += count.fields;
  EXPECT_EQ(fields, inspection.fields.size());
  EXPECT_EQ(validation_errors("inspect.v1", inspection_to_json(inspection)), "");
}

TEST_F(SubjectTest, AnExpandedGiantIsNotDigested) {
  const std::string path = kSamples + "hostile/tensor-shape-huge-stride0";
  const Inspection inspection = inspect_subject(path, open_subject(path), {true, true});
  bool warned = false;
  for (const std::string& warning : inspection.warnings) {
    warned = warned || warning.find("not digested") != std::string::npos;
  }
  EXPECT_TRUE(warned);
}

TEST_F(SubjectTest, TheWorkFolderOfAnAuditIsNoCheckpoint) {
  plan.run = folder / "uninterrupted/run";
  captured_run();
  EXPECT_ERROR(open_subject(folder.path()), usage, "is the work folder of an audit");
  EXPECT_ERROR(open_subject(folder.path() + "/"), usage, "is the work folder of an audit");
  EXPECT_TRUE(std::holds_alternative<std::vector<RankRecord>>(open_subject(plan.run)));
}

TEST_F(SubjectTest, PartsOfARunAreNoCheckpoint) {
  const std::string run = captured_run();
  for (const char* part : {"", "/captures", "/captures/", "/log", "/log/rank-0.jsonl.zst",
                           "/captures/2/capture.json", "/captures/2/rank-0.0.pack"}) {
    EXPECT_ERROR(open_subject(run + "/.samestep" + part), usage,
                 "name the run folder, " + run + ",");
  }
  EXPECT_NO_THROW(open_subject(run + "/.samestep/captures/2"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(run + "/.samestep");
  EXPECT_ERROR(open_subject("captures"), usage, "name the run folder, " + run + ",");
  std::filesystem::current_path(run);
  EXPECT_ERROR(open_subject(".samestep/captures"), usage, "name the run folder, .,");
  std::filesystem::current_path(before);
}

TEST_F(SubjectTest, ACheckpointMayLieInAFolderOfThatNameWithoutARun) {
  make_folders(folder / ".samestep");
  const std::string path = folder / ".samestep/ckpt.pt";
  std::filesystem::copy_file(kSamples + "handed/torch-zip-proto2/ckpt.pt", path);
  EXPECT_NO_THROW(open_subject(path));
}

TEST_F(SubjectTest, NothingThereIsSaid) {
  EXPECT_ERROR(open_subject(folder / "none"), not_found, "there is nothing at this path");
}

}  // namespace
}  // namespace samestep
