#include "resume_check/op_compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/resume_check/op_fixture.h"

namespace samestep {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::leg;
using testing::op;
using testing::plain;
using testing::read_as;
using testing::tensor;

OpRecord mm(std::uint64_t input, std::uint64_t output) {
  return op("mm", {tensor("self", input), tensor("mat2", 7)}, {tensor("output 0", output)});
}

TEST(OpCompare, EqualLegsPartNowhere) {
  const auto same = compare_operators(leg({mm(1, 2), mm(2, 3)}), leg({mm(1, 2), mm(2, 3)}));
  EXPECT_FALSE(same.first);
  EXPECT_EQ(same.compared, 2u);
}

TEST(OpCompare, OtherOutputsOfEqualInputsAreTheOperatorsOwn) {
  const auto found =
      compare_operators(leg({mm(1, 2), mm(2, 3), mm(3, 4)}), leg({mm(1, 2), mm(2, 9), mm(9, 8)}));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->where.phase, "op:2");
  EXPECT_EQ(found.first->name, "aten::mm");
  EXPECT_EQ(found.first->differs, "outputs");
  EXPECT_EQ(found.first->argument, "output 0");
  EXPECT_EQ(found.first->same_before, 1u);
  EXPECT_EQ(found.first->uninterrupted.digest, (Digest{0, 3}));
  EXPECT_EQ(found.first->resumed.digest, (Digest{0, 9}));
  EXPECT_EQ(found.first->resumed.dtype, "float32");
}

TEST(OpCompare, OtherInputsComeFromOutside) {
  const auto found = compare_operators(leg({mm(1, 2)}), leg({mm(5, 6)}));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->differs, "inputs");
  EXPECT_EQ(found.first->argument, "self");
  EXPECT_THAT(found.first->evidence, Contains(HasSubstr("outside of the operators")));
}

TEST(OpCompare, AnotherNumberIsAnInput) {
  const auto add = [](const char* alpha, std::uint64_t output) {
    return op("add_", {tensor("self", 1), plain("alpha", alpha)}, {tensor("output 0", output)});
  };
  const auto found = compare_operators(leg({add("-0.1", 2)}), leg({add("-0.2", 3)}));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->argument, "alpha");
  EXPECT_EQ(found.first->uninterrupted.value, Value(std::string("-0.1")));
}

TEST(OpCompare, AnInputThatChangesNoOutputIsNotTheFirst) {
  const auto found = compare_operators(leg({mm(1, 2), mm(3, 4)}), leg({mm(9, 2), mm(3, 5)}));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->where.phase, "op:2");
  EXPECT_EQ(found.first->differs, "outputs");
}

TEST(OpCompare, WhatCouldNotBeReadIsToldAndNoDifference) {
  auto source = mm(1, 2), target = mm(1, 3);
  source.inputs[0] = read_as(source.inputs[0], "unset");
  target.inputs[0] = read_as(target.inputs[0], "unset");
  const auto found = compare_operators(leg({source}), leg({target}));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->differs, "outputs");
  EXPECT_THAT(found.first->evidence, Contains(HasSubstr("not compared, as their bytes")));
}

TEST(OpCompare, DigestsOfOtherLayoutsAreNotCompared) {
  auto source = mm(1, 2), target = mm(4, 2);
  source.inputs[0] = read_as(source.inputs[0], "laid");
  EXPECT_FALSE(compare_operators(leg({source}), leg({target})).first);
  source.inputs[0].strides = {1, 2};
  target.inputs[0] = read_as(target.inputs[0], "laid");
  EXPECT_FALSE(compare_operators(leg({source}), leg({target})).first);
}

TEST(OpCompare, AnotherShapeIsADifference) {
  auto target = mm(1, 2);
  target.outputs[0].shape = {3, 2};
  EXPECT_TRUE(compare_operators(leg({mm(1, 2)}), leg({target})).first);
}

TEST(OpCompare, AResultThatOneLegLacksIsADifference) {
  auto target = mm(1, 2);
  target.outputs.push_back(tensor("output 1", 3));
  const auto found = compare_operators(leg({mm(1, 2)}), leg({target}));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->argument, "output 1");
  EXPECT_FALSE(found.first->uninterrupted.present);
}

TEST(OpCompare, RandomOperatorsPointToTheirStream) {
  auto source = op("bernoulli_", {}, {tensor("output 0", 1)});
  source.random = true;
  auto target = source;
  target.outputs[0].digest = Digest{0, 2};
  const auto found = compare_operators(leg({source}), leg({target}));
  ASSERT_TRUE(found.first);
  EXPECT_THAT(found.first->evidence, Contains(HasSubstr("draws random numbers")));
}

TEST(OpCompare, OtherCountsOfThreadsAreEvidence) {
  const auto found = compare_operators(leg({mm(1, 2)}, 1), leg({mm(1, 3)}, 4));
  ASSERT_TRUE(found.first);
  EXPECT_THAT(found.first->evidence,
              Contains(HasSubstr("1 threads in the uninterrupted leg, on 4")));
}

TEST(OpCompare, OtherOperatorsAreTheLastResort) {
  const auto extra = [] { return op("arange", {}, {tensor("output 0", 9)}); };
  const auto found =
      compare_operators(leg({mm(1, 2), mm(2, 3)}), leg({extra(), mm(1, 2), mm(2, 3)}));
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->differs, "sequence");
  EXPECT_EQ(found.first->name, "aten::arange");
  EXPECT_EQ(found.only_target, 1u);
  const auto parted =
      compare_operators(leg({mm(1, 2), mm(2, 3)}), leg({extra(), mm(1, 2), mm(2, 4)}));
  ASSERT_TRUE(parted.first);
  EXPECT_EQ(parted.first->differs, "outputs");
  EXPECT_THAT(parted.first->evidence, Contains(HasSubstr("only one leg ran before it")));
}

}  // namespace
}  // namespace samestep
