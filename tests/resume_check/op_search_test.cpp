#include "resume_check/op_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string operators(const char* digest) {
  return std::string(R"({"threads":1,"operators":[{"n":1,"name":"aten::mm","overload":"",)") +
         R"("phase":"forward","in":[],"out":[{"name":"output 0","dtype":"float32","shape":[],)" +
         R"("digest":"0000000000000000000000000000000)" + digest + "\"}]}]}";
}

LegOutcome leg_with(const std::string& event, const std::string& json) {
  LegOutcome leg;
  leg.ranks.emplace_back();
  leg.ranks[0].log.events.push_back({event, json});
  return leg;
}

class OpSearches : public ::testing::Test {
 protected:
  OpSearch search(const RunLeg& resumed, const RunLeg& uninterrupted) {
    return search_operators({divergence_, ranks_, ranks_, stable_, 4}, noted(resumed),
                            noted(uninterrupted));
  }

  RunLeg noted(RunLeg run) {
    return [this, run](const std::string& name, const Plan& plan) {
      legs_.push_back(name);
      plan_ = plan;
      return run(name, plan);
    };
  }

  std::string why(const OpSearch& search) {
    return search.not_compared.empty() ? "" : search.not_compared.front().second;
  }

  std::optional<DivergenceReport> divergence_ = DivergenceReport{{0, 6, "loss"}, "loss", 1, 9, 0};
  std::vector<RankRecord> ranks_{1};
  std::vector<std::set<std::string>> stable_{1};
  std::vector<std::string> legs_;
  Plan plan_;
};

RunLeg tells(const std::string& event, const std::string& json) {
  return [=](const std::string&, const Plan&) { return leg_with(event, json); };
}

TEST_F(OpSearches, NameTheOperatorOfTheStepThatParts) {
  const auto found = search(tells("operators", operators("1")), tells("operators", operators("2")));
  ASSERT_TRUE(found.found) << why(found);
  EXPECT_EQ(found.found->where, (Boundary{0, 6, "op:1"}));
  EXPECT_EQ(found.found->uninterrupted.digest, (Digest{0, 2}));
  EXPECT_THAT(legs_, ElementsAre("operators.resumed", "operators.uninterrupted"));
  EXPECT_EQ(plan_.operators_at, 5);
  EXPECT_EQ(plan_.at, 4);
  EXPECT_EQ(plan_.steps, 2);
  EXPECT_TRUE(plan_.final_only);
}

TEST_F(OpSearches, NameTheStateThatAnInputHeld) {
  const auto reads = [](const char* digest) {
    std::string text = operators(digest);
    const std::string input = R"({"name":"weight","dtype":"float32","shape":[],"digest":")" +
                              std::string(31, '0') + digest + "\"}";
    return text.replace(text.find(R"("in":[])"), 7, R"("in":[)" + input + "]");
  };
  LogBegin begin{5, "begin", {{"model/head.weight", Digest{0, 2}}}, {}};
  ranks_[0].log.begins = {begin};
  const auto found = search(tells("operators", reads("1")), tells("operators", reads("2")));
  ASSERT_TRUE(found.found) << why(found);
  EXPECT_EQ(found.found->differs, "inputs");
  EXPECT_THAT(found.found->evidence, ::testing::Contains(HasSubstr("model/head.weight held")));
}

TEST_F(OpSearches, LookAtTheStepBeforeABeginThatDiffers) {
  divergence_->first.phase = "begin";
  search(tells("operators", operators("1")), tells("operators", operators("2")));
  EXPECT_EQ(plan_.operators_at, 4);
}

TEST_F(OpSearches, SpareTheLongLegWhereNothingCanBeTraced) {
  const auto found = search(tells("operators_untraced", R"({"reason":"not built"})"), {});
  EXPECT_FALSE(found.found);
  EXPECT_EQ(why(found), "were not traced: not built");
  EXPECT_THAT(legs_, ElementsAre("operators.resumed"));
}

TEST_F(OpSearches, SayThatALegLeftNoRecord) {
  EXPECT_THAT(why(search(tells("copied", "{}"), {})), HasSubstr("left no record of them"));
}

TEST_F(OpSearches, SayThatALegFailed) {
  const auto failing = [](const std::string&, const Plan&) -> LegOutcome {
    throw Error(ErrorCode::failed, "was ended by signal 9", "leg", "look");
  };
  EXPECT_THAT(why(search(failing, {})), HasSubstr("was ended by signal 9"));
}

TEST_F(OpSearches, SayThatEqualOperatorsExplainNothing) {
  const auto found = search(tells("operators", operators("1")), tells("operators", operators("1")));
  EXPECT_FALSE(found.found);
  EXPECT_THAT(why(found), HasSubstr("1 operators of step 6 are the same"));
}

TEST_F(OpSearches, RunNoLegWithoutADivergence) {
  divergence_.reset();
  EXPECT_THAT(why(search({}, {})), HasSubstr("nothing to look for"));
  EXPECT_TRUE(legs_.empty());
}

}  // namespace
}  // namespace samestep
