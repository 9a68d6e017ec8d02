#include "resume_check/audit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "resume_check/cancel.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

AuditRequest request_for(const TemporaryFolder& folder, const std::string& fault) {
  AuditRequest request;
  request.fresh = {SAMESTEP_FAKE_TRAINER, "--out", "{out}"};
  request.resume = {{SAMESTEP_FAKE_TRAINER, "--out", "{out}", "--resume", "{checkpoint}"}};
  if (!fault.empty()) {
    for (auto* argv : {&request.fresh, &*request.resume})
      argv->insert(argv->end(), {"--fault", fault});
  }
  request.checkpoint_glob = "checkpoint*.safetensors";
  request.at = 4;
  request.work = folder / "work";
  request.leg_seconds_max = 30;
  return request;
}

Report audited(const std::string& fault) {
  const TemporaryFolder folder;
  return run_audit(request_for(folder, fault), {});
}

const Finding* finding_of(const Report& report, const std::string& field) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& finding) { return finding.field == field; });
  return found == report.findings.end() ? nullptr : &*found;
}

TEST(Audit, ASoundTrainerIsTheSame) {
  const auto report = audited("");
  EXPECT_EQ(report.verdict, Verdict::same) << report.reason;
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.coverage.steps_compared, 3);
  EXPECT_TRUE(report.coverage.power);
  ASSERT_EQ(report.legs.size(), 3u);
  EXPECT_EQ(report.legs[2].name, "control.1");
}

TEST(Audit, ALostSlotIsNamed) {
  const auto report = audited("lose-momentum");
  EXPECT_EQ(report.verdict, Verdict::diverged) << report.reason;
  const auto* finding = finding_of(report, "optimizer/state/w/momentum_buffer");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->fate, Fate::lost_after_save) << "nobody looks for load calls here";
  EXPECT_EQ(finding->grade, Grade::confirmed);
  EXPECT_EQ(finding->marks.front(), "reset");
  ASSERT_TRUE(finding->difference);
  EXPECT_FALSE(finding->next.empty());
  ASSERT_TRUE(report.divergence);
}

TEST(Audit, ARunThatDoesNotRepeatItselfIsUndecided) {
  const auto report = audited("noise");
  EXPECT_EQ(report.verdict, Verdict::undecided) << report.reason;
}

TEST(Audit, AnotherPlanIsNamedWhenAllStateIsEqual) {
  const auto report = audited("threads");
  EXPECT_EQ(report.verdict, Verdict::diverged) << report.reason;
  const auto* finding = finding_of(report, "plan/torch.num_threads");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->grade, Grade::confirmed);
  EXPECT_EQ(report.legs.back().name, "control.uninterrupted");
}

struct Row {
  const char* fault;
  const char* says;
};

/// What keeps an audit from a verdict is one line that says what, where and what to do.
constexpr Row kRefused[] = {
    {"crash", "failed with exit status 1"},
    {"crash", "Traceback: out of luck"},
    {"crash", "work/uninterrupted/log.txt"},
    {"silent", "nothing was recorded"},
    {"no-checkpoint", "no checkpoint was written"},
    {"two-checkpoints", "2 checkpoints match"},
    {"ignore-resume", "starts from step 0, the checkpoint is of step 4"},
    {"torn", "checkpoint.safetensors"},
};

std::string refusal(const AuditRequest& request) {
  try {
    run_audit(request, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Audit, SaysWhatKeepsItFromAVerdict) {
  for (const auto& row : kRefused) {
    const TemporaryFolder folder;
    const auto said = refusal(request_for(folder, row.fault));
    EXPECT_NE(said.find(row.says), std::string::npos) << row.fault << ": " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

TEST(Audit, ALegThatHangsIsEnded) {
  const TemporaryFolder folder;
  auto request = request_for(folder, "hang");
  request.leg_seconds_max = 0.5;
  EXPECT_NE(refusal(request).find("did not end within"), std::string::npos);
}

TEST(Audit, CancellingLeavesNoReport) {
  const TemporaryFolder folder;
  request_cancel();
  EXPECT_NE(refusal(request_for(folder, "")).find("interrupted"), std::string::npos);
  reset_cancel();
}

TEST(Audit, AStepThatNeverComes) {
  const TemporaryFolder folder;
  auto request = request_for(folder, "");
  request.at = 20;
  EXPECT_NE(refusal(request).find("step 20 never came"), std::string::npos);
}

TEST(Audit, WithoutAStepTheCheckpointsAppearanceDecides) {
  const TemporaryFolder folder;
  auto request = request_for(folder, "");
  request.at.reset();
  EXPECT_EQ(run_audit(request, {}).verdict, Verdict::same);
}

TEST(Audit, RequestsThatContradictThemselves) {
  const TemporaryFolder folder;
  auto request = request_for(folder, "");
  request.fresh = {SAMESTEP_FAKE_TRAINER};
  EXPECT_NE(refusal(request).find("{out}"), std::string::npos);
  request = request_for(folder, "");
  request.steps = 0;
  EXPECT_NE(refusal(request).find("--steps"), std::string::npos);
  request = request_for(folder, "");
  request.at.reset();
  request.checkpoint_glob.clear();
  EXPECT_NE(refusal(request).find("--checkpoint"), std::string::npos);
  request = request_for(folder, "");
  request.fresh.clear();
  EXPECT_NE(refusal(request).find("no command"), std::string::npos);
}

}  // namespace
}  // namespace samestep
