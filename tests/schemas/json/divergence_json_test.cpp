#include <gtest/gtest.h>

#include "schemas/json/report_parts.h"
#include "tests/schemas/json/expect_error.h"
#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

std::string text_of(const std::optional<DivergenceReport>& divergence) {
  JsonWriter writer;
  write_divergence(writer, divergence);
  return writer.take();
}

TEST(DivergenceJsonTest, GoesBothWaysWithAnOperatorAndWithout) {
  auto divergence = sample_report().divergence;
  ASSERT_TRUE(divergence->op);
  const std::string with = text_of(divergence);
  const auto back = read_divergence(JsonNode::parse(with, "d"));
  EXPECT_EQ(text_of(back), with);
  EXPECT_EQ(back.op->name, divergence->op->name);
  EXPECT_EQ(back.op->evidence, divergence->op->evidence);
  divergence->op.reset();
  const std::string without = text_of(divergence);
  EXPECT_EQ(without.find("operator"), std::string::npos);
  EXPECT_FALSE(read_divergence(JsonNode::parse(without, "d")).op);
}

TEST(DivergenceJsonTest, NoneIsNull) { EXPECT_EQ(text_of(std::nullopt), "null"); }

TEST(DivergenceJsonTest, AnOperatorWithoutANameIsRefused) {
  std::string text = text_of(sample_report().divergence);
  text.replace(text.find("\"module\""), 8, "\"modul\"");
  EXPECT_ERROR(read_divergence(JsonNode::parse(text, "d")), corrupt, "d at /operator");
}

}  // namespace
}  // namespace samestep
