#include "resume_check/quiet.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

Finding warning(const std::string& field, std::vector<std::string> marks,
                Grade grade = Grade::warning) {
  Finding finding;
  finding.field = field;
  finding.component = FieldPath(field).component();
  finding.grade = grade;
  finding.marks = std::move(marks);
  return finding;
}

TEST(Quiet, UnusedStreamsOfPythonAndNumPyAreOneLine) {
  std::vector<Finding> findings{warning("rng/python", {"unused"}), warning("rng/numpy", {"unused"}),
                                warning("rng/numpy/pos", {"unused"}),
                                warning("rng/torch.cpu", {"unused"}),
                                warning("rng/numpy/key", {}, Grade::confirmed)};
  Coverage coverage;
  quieten(findings, false, coverage);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].field, "rng/torch.cpu");
  EXPECT_EQ(findings[1].field, "rng/numpy/key") << "confirmed findings stay";
  ASSERT_EQ(coverage.not_compared.size(), 1u);
  EXPECT_EQ(coverage.not_compared[0].first, "rng/numpy, rng/python");
}

TEST(Quiet, FramesAreDroppedWhereNothingIsUnexplained) {
  const std::vector<Finding> all{warning("loop/step", {"frame"}), warning("loop/course/rung", {}),
                                 warning("loop/seen", {"frame"}, Grade::confirmed)};
  auto findings = all;
  Coverage coverage;
  quieten(findings, false, coverage);
  EXPECT_EQ(findings.size(), 3u);
  EXPECT_TRUE(coverage.ignored.empty());
  quieten(findings, true, coverage);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].field, "loop/course/rung") << "an object's attribute is no frame";
  EXPECT_EQ(coverage.ignored.at("local variables of the training loop"), 1u);
}

TEST(Quiet, WhatEachStepSetsAnewIsCountedWhereNothingIsUnexplained) {
  const std::vector<Finding> all{warning("model/entropy", {"reset", "anew"}),
                                 warning("model/count", {"reset"}),
                                 warning("loop/t/best", {"anew"}, Grade::confirmed)};
  auto findings = all;
  Coverage coverage;
  quieten(findings, false, coverage);
  EXPECT_EQ(findings.size(), 3u);
  quieten(findings, true, coverage);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].field, "model/count");
  EXPECT_EQ(coverage.ignored.at("values that each step sets anew"), 1u);
}

Side holds(std::int64_t number) {
  Side side;
  side.present = true;
  side.value = Value(number);
  return side;
}

TEST(Quiet, VariablesThatAnyResumeBringsAreDropped) {
  auto lone = warning("loop/ck/step", {"frame"}), start = warning("loop/start", {"frame"}),
       rung = warning("loop/rung", {"frame"}),
       sure = warning("loop/d", {"frame"}, Grade::confirmed),
       attribute = warning("extra/counter", {});
  lone.restored = sure.captured = attribute.restored = holds(10);
  start.captured = rung.captured = holds(0);
  start.restored = holds(10);
  rung.restored = holds(3);
  std::vector<Finding> findings{lone, start, rung, sure, attribute};
  Coverage coverage;
  drop_loop_variables(findings, 10, coverage);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].field, "loop/rung") << "it tells something";
  EXPECT_EQ(findings[1].field, "loop/d");
  EXPECT_EQ(findings[2].field, "extra/counter");
  EXPECT_EQ(coverage.ignored.at("local variables of the training loop"), 2u);
}

TEST(Quiet, NothingToFoldLeavesNoLine) {
  std::vector<Finding> findings;
  Coverage coverage;
  quieten(findings, true, coverage);
  EXPECT_TRUE(coverage.not_compared.empty());
  EXPECT_TRUE(coverage.ignored.empty());
}

}  // namespace
}  // namespace samestep
