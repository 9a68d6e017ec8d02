// What a prune did: as a person reads it, and as a document of its schema.
#include "tools/prune_result.h"

#include <gmock/gmock.h>

#include "schemas/json/node.h"

namespace samestep {
namespace {

PruneOutcome outcome() {
  PruneOutcome outcome;
  outcome.kept = {8};
  outcome.removed = {2, 4};
  outcome.packs = {{"2/rank-0.0.pack", PrunedPack::Fate::rewritten, 4096, 1024},
                   {"8/rank-0.0.pack", PrunedPack::Fate::kept, 100, 84}};
  outcome.bytes_freed = 3072;
  return outcome;
}

TEST(PruneResult, TextEndsWithWhatWasFreed) {
  EXPECT_EQ(prune_text(outcome(), false),
            "kept     1 capture: 8\n"
            "removed  2 captures: 2, 4\n"
            "packs    1 kept, 1 rewritten, 0 removed\n"
            "freed 3.0 KiB\n");
  PruneOutcome noted = outcome();
  noted.notes = {"a\nb"};
  noted.leftovers = 2;
  const std::string text = prune_text(noted, true);
  EXPECT_THAT(text, testing::HasSubstr("leftover 2 files"));
  EXPECT_THAT(text, testing::EndsWith("would free 3.0 KiB\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("a\nb")));
}

TEST(PruneResult, JsonHoldsIt) {
  const JsonNode json = JsonNode::parse(prune_json(outcome(), "some/run", true), "prune");
  EXPECT_EQ(json.at("schema").as_string(), "prune.v1");
  EXPECT_EQ(json.at("run").as_string(), "some/run");
  EXPECT_TRUE(json.at("dry_run").as_bool());
  EXPECT_EQ(json.at("removed").size(), 2U);
  EXPECT_EQ(json.at("packs").elements()[0].at("fate").as_string(), "rewritten");
  EXPECT_EQ(json.at("bytes_freed").as_int(), 3072);
}

}  // namespace
}  // namespace samestep
