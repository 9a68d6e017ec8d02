#include "schemas/schema_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemas/json/node.h"
#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

TEST(SchemaTextTest, HoldsEachDocumentOfOurs) {
  EXPECT_THAT(schema_names(),
              ::testing::ElementsAre("capture.v1", "capture.v2", "capture.v3", "inspect.v1",
                                     "plan.v1", "prune.v1", "report.v1", "waivers.v1"));
  for (const std::string& name : schema_names()) {
    const JsonNode schema = JsonNode::parse(schema_text(name), name);
    EXPECT_EQ(schema.at("$schema").as_string(), "http://json-schema.org/draft-07/schema#");
    EXPECT_FALSE(schema.at("title").as_string().empty());
  }
}

TEST(SchemaTextTest, AnUnknownNameIsToldWhatThereIs) {
  EXPECT_ERROR(schema_text("report.v2"), not_found,
               "capture.v1, capture.v2, capture.v3, inspect.v1, plan.v1, prune.v1");
}

}  // namespace
}  // namespace samestep
