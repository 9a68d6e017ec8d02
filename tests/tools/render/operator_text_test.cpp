#include "tools/render/operator_text.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

using ::testing::HasSubstr;

std::string row(const OperatorReport& op, const std::string& label) {
  for (const auto& [name, text] : operator_rows(op))
    if (name == label) return text;
  return "none";
}

TEST(OperatorTextTest, SaysWhichOperatorAndWhatOfIt) {
  OperatorReport op = *sample_report().divergence->op;
  EXPECT_EQ(row(op, "operator"), "step 5, op:412: aten::mm");
  EXPECT_EQ(row(op, ""), "its inputs are equal, its outputs are not");
  EXPECT_EQ(row(op, "in"), "backward, module head, called by aten::matmul");
  EXPECT_EQ(row(op, "differs"), "output 0");
  EXPECT_THAT(row(op, "uninterrupted"), HasSubstr("float32 [2, 3]"));
  EXPECT_EQ(row(op, "before it"), "411 operators the same");
  op.differs = "inputs";
  EXPECT_EQ(row(op, ""), "its inputs already differ");
}

TEST(OperatorTextTest, AnOperatorOfOneLegHasNoArgument) {
  OperatorReport op = *sample_report().divergence->op;
  op.differs = "sequence";
  op.argument.clear();
  EXPECT_EQ(row(op, ""), "only one of the legs ran it");
  EXPECT_EQ(row(op, "differs"), "none");
  EXPECT_EQ(row(op, "uninterrupted"), "none");
}

TEST(OperatorTextTest, ForeignTextIsShownHarmless) {
  OperatorReport op = *sample_report().divergence->op;
  op.name = "a\x1b[2J";
  EXPECT_EQ(row(op, "operator").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace samestep
