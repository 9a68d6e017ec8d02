#include <gtest/gtest.h>

#include "schemas/json/report_parts.h"
#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

std::string text_of(const Finding& finding) {
  JsonWriter writer;
  write_finding(writer, finding);
  return writer.take();
}

TEST(FindingJsonTest, GoesBothWays) {
  for (const Finding& finding : sample_report().findings) {
    const std::string text = text_of(finding);
    EXPECT_EQ(text_of(read_finding(JsonNode::parse(text, "d"))), text);
  }
}

TEST(FindingJsonTest, WhatIsNotKnownIsNullOrLeftOut) {
  const JsonNode node = JsonNode::parse(text_of(Finding{}), "d");
  EXPECT_TRUE(node.at("fate").is_null());
  EXPECT_TRUE(node.at("where").is_null());
  EXPECT_FALSE(node.contains("loaded"));
  EXPECT_FALSE(node.contains("difference"));
  EXPECT_FALSE(node.at("captured").at("present").as_bool());
}

}  // namespace
}  // namespace samestep
