#include "tools/checkpoint_damage.h"

#include <gmock/gmock.h>

#include "tests/support/test_data.h"

namespace samestep {
namespace {

TEST(CheckpointDamageTest, AFindingNamesPlaceKindAndComponent) {
  const Finding finding = damage_finding("optimizer/state/w/step", "missing", "is not there");
  EXPECT_EQ(finding.kind, FindingKind::breach);
  EXPECT_EQ(finding.grade, Grade::confirmed);
  EXPECT_EQ(finding.component, "optimizer");
  EXPECT_EQ(finding.marks, std::vector<std::string>{"missing"});
  EXPECT_EQ(finding.evidence, std::vector<std::string>{"is not there"});
}

TEST(CheckpointDamageTest, EachProblemOfACheckpointIsOne) {
  const std::string samples = test_data("samples/");
  VerifyFigures figures;
  EXPECT_TRUE(checkpoint_damage(open_checkpoint(samples + "handed/torch-zip-proto2"), {}, &figures)
                  .empty());
  EXPECT_GT(figures.records_checked, 0u);
  const auto findings = checkpoint_damage(open_checkpoint(samples + "hostile/dcp-bitflip"));
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) EXPECT_EQ(finding.marks.size(), 1u);
}

}  // namespace
}  // namespace samestep
