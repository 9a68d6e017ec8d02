#include "resume_check/op_align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/resume_check/op_fixture.h"

namespace samestep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// One letter an operator; a digit before it is its lane.
OpRecords leg_of(const std::string& letters) {
  std::vector<OpRecord> operators;
  std::uint64_t lane = 0;
  for (const char letter : letters) {
    if (letter >= '0' && letter <= '9') {
      lane = static_cast<std::uint64_t>(letter - '0');
      continue;
    }
    operators.push_back(testing::op(std::string(1, letter), {}, {}));
    operators.back().lane = lane;
  }
  return testing::leg(operators);
}

std::string letter_of(const OpRecord* op) { return op ? op->name.substr(6) : "-"; }

std::vector<std::string> aligned(const std::string& source, const std::string& target) {
  const OpRecords a = leg_of(source), b = leg_of(target);
  std::vector<std::string> pairs;
  for (const auto& [first, second] : align_operators(a.operators, b.operators))
    pairs.push_back(letter_of(first) + letter_of(second));
  return pairs;
}

TEST(OpAlign, EqualLegsArePairs) {
  EXPECT_THAT(aligned("abc", "abc"), ElementsAre("aa", "bb", "cc"));
  EXPECT_THAT(aligned("", ""), IsEmpty());
}

TEST(OpAlign, WhatOnlyOneLegRanStandsAlone) {
  EXPECT_THAT(aligned("abcdef", "abxycdef"),
              ElementsAre("aa", "bb", "-x", "-y", "cc", "dd", "ee", "ff"));
  EXPECT_THAT(aligned("axbcd", "abcd"), ElementsAre("aa", "x-", "bb", "cc", "dd"));
}

TEST(OpAlign, OneOtherOperatorIsReplacedByAnother) {
  EXPECT_THAT(aligned("axbcd", "aybcd"), ElementsAre("aa", "x-", "-y", "bb", "cc", "dd"));
}

TEST(OpAlign, AnEndIsSeen) {
  EXPECT_THAT(aligned("abc", "ab"), ElementsAre("aa", "bb", "c-"));
  EXPECT_THAT(aligned("a", "xyz"), ElementsAre("a-", "-x", "-y", "-z"));
}

TEST(OpAlign, ThreadsArePutTogetherInTheOrderOfTheFirstLeg) {
  EXPECT_THAT(aligned("0ab1xy0c", "0a1x0b1y0c"), ElementsAre("aa", "bb", "xx", "yy", "cc"));
}

TEST(OpAlign, AThreadThatOneLegDoesNotHaveStandsAlone) {
  EXPECT_THAT(aligned("0ab", "0ab1x"), ElementsAre("-x", "aa", "bb"));
}

}  // namespace
}  // namespace samestep
