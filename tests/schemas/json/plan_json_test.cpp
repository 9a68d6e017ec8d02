#include "schemas/json/plan_json.h"

#include <gtest/gtest.h>

#include "tests/schemas/json/edit.h"
#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

Plan sample() {
  Plan plan;
  plan.leg = "resumed";
  plan.run = "/w/run";
  plan.start = 4;
  plan.at = 4;
  plan.steps = 5;
  plan.trace = false;
  plan.log_begins = false;
  plan.final_only = true;
  plan.out = "/w/out";
  plan.checkpoint = "checkpoint-*";
  plan.copy_to = "/w/branch";
  plan.stop = false;
  plan.background = true;
  plan.stepping = {"optimizer", "optimizer.1"};
  plan.store = StorePolicy::raw;
  plan.operators_at = 7;
  return plan;
}

TEST(PlanJsonTest, GoesBothWays) {
  const Plan plan = sample();
  const std::string text = plan_to_json(plan);
  const Plan back = plan_from_json(text, "plan");
  EXPECT_EQ(plan_to_json(back), text);
  EXPECT_EQ(back.leg, "resumed");
  EXPECT_EQ(back.at, 4);
  EXPECT_EQ(back.start, 4);
  EXPECT_TRUE(back.final_only);
  EXPECT_FALSE(back.trace);
  EXPECT_FALSE(back.stop);
  EXPECT_TRUE(back.background);
  EXPECT_EQ(back.copy_to, "/w/branch");
  EXPECT_EQ(back.stepping, plan.stepping);
  EXPECT_EQ(back.operators_at, 7);
  EXPECT_EQ(back.store, StorePolicy::raw);
}

TEST(PlanJsonTest, WithoutAPolicyCapturesAreCompressed) {
  const std::string text = edited(plan_to_json(sample()), ",\n  \"store\": \"raw\"", "");
  EXPECT_EQ(plan_from_json(text, "plan").store, StorePolicy::planes);
}

TEST(PlanJsonTest, AtMayBeAbsent) {
  Plan plan = sample();
  plan.at.reset();
  plan.operators_at.reset();
  plan.out.clear();
  const Plan back = plan_from_json(plan_to_json(plan), "plan");
  EXPECT_FALSE(back.at);
  EXPECT_FALSE(back.operators_at);
  EXPECT_TRUE(back.out.empty());
}

TEST(PlanJsonTest, RefusesEachFaultByItsPointer) {
  const BadEdit cases[] = {
      {"plan.v1", "plan.v2", "plan.json at /schema: schema \"plan.v2\" is not plan.v1"},
      {"\"schema\"", "\"Schema\"", "plan.json at /: key \"schema\" is missing"},
      {"\"leg\": \"resumed\"", "\"leg\": 1", "plan.json at /leg: expected a string"},
      {"\"leg\"", "\"colour\": 1, \"leg\"", "plan.json at /colour: unknown key"},
      {"\"leg\"", "\"leg\": \"a\", \"leg\"", "key \"leg\" stands twice"},
      {"\"/w/run\"", "\"run\"", "/run: expected an absolute path"},
      {"\"/w/run\"", "\"\"", "/run: expected an absolute path"},
      {"\"/w/out\"", "\"out\"", "/out: expected an absolute path"},
      {"\"steps\": 5", "\"steps\": -5", "/steps: expected at least 0"},
      {"\"steps\": 5", "\"steps\": 5.0", "/steps: expected an integer"},
      {"\"at\": 4", "\"at\": null", "/at: expected an integer, found null"},
      {"\"background\": true", "\"background\": 1", "/background: expected a boolean"},
      {"\"trace\": false", "\"trace\": 0", "/trace: expected a boolean"},
      {"\"raw\"", "\"zip\"", "/store: no policy has this name"},
      {"\"optimizer.1\"", "7", "/stepping/1: expected a string"},
  };
  const std::string text = plan_to_json(sample());
  for (const BadEdit& c : cases) {
    EXPECT_ERROR(plan_from_json(edited(text, c.source, c.target), "plan.json"), corrupt, c.says);
  }
}

TEST(PlanJsonTest, NoTruncationIsAccepted) {
  const std::string text = plan_to_json(sample());
  for (std::size_t bytes = 0; bytes + 2 < text.size(); ++bytes) {
    EXPECT_THROW(plan_from_json(text.substr(0, bytes), "plan"), Error) << bytes;
  }
}

}  // namespace
}  // namespace samestep
