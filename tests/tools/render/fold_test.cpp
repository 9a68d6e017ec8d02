#include "tools/render/fold.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

Finding gap(const std::string& field, Role role, int rank = 0) {
  Finding finding;
  finding.field = field;
  finding.component = FieldPath(field).component();
  finding.role = role;
  finding.rank = rank;
  finding.fate = Fate::missing;
  return finding;
}

TEST(FoldTest, OneSlotOfManyParametersIsOneGroup) {
  const std::vector<Finding> findings = {gap("optimizer/state/a/exp_avg", Role::moment),
                                         gap("optimizer/state/a/step", Role::step_counter),
                                         gap("optimizer/state/b/exp_avg", Role::moment),
                                         gap("rng/torch.cpu", Role::rng)};
  const auto groups = fold(findings, false);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name, "optimizer/state/*/exp_avg");
  EXPECT_EQ(groups[0].fields, 2u);
  EXPECT_EQ(groups[1].name, "optimizer/state/a/step");
  EXPECT_EQ(groups[2].name, "rng/torch.cpu");
  EXPECT_EQ(fold(findings, true).size(), 4u);
}

TEST(FoldTest, OneFieldOnManyRanksIsOneGroupAlsoApart) {
  const std::vector<Finding> findings = {gap("rng/torch.cpu", Role::rng, 3),
                                         gap("rng/torch.cpu", Role::rng, 0)};
  for (const bool apart : {false, true}) {
    const auto groups = fold(findings, apart);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].ranks, (std::vector<int>{0, 3}));
    EXPECT_EQ(groups[0].fields, 1u);
    EXPECT_EQ(groups[0].findings.front()->rank, 3);
  }
}

TEST(FoldTest, WhatSaysOtherThingsStaysApart) {
  std::vector<Finding> findings(6, gap("model/a", Role::parameter));
  findings[1].field = "model/b";
  findings[2].fate = Fate::overwritten;
  findings[3].grade = Grade::warning;
  findings[4].marks = {"reset"};
  findings[5].role = Role::buffer;
  const auto groups = fold(findings, false);
  ASSERT_EQ(groups.size(), 5u);
  EXPECT_EQ(groups[0].name, "model/*");
}

TEST(FoldTest, BreachesAreNeverFolded) {
  std::vector<Finding> findings(2, gap("plan/a", Role::other));
  findings[1].field = "plan/b";
  for (Finding& finding : findings) finding.kind = FindingKind::breach;
  EXPECT_EQ(fold(findings, false).size(), 2u);
}

TEST(FoldTest, AttributesOfModulesAndPartsOfAStreamAreFolded) {
  const std::vector<Finding> findings = {
      gap("model/a.training", Role::other), gap("model/b.c.training", Role::other),
      gap("model/a.p", Role::other), gap("rng/numpy/pos", Role::rng),
      gap("rng/numpy/has_gauss", Role::rng)};
  const auto groups = fold(findings, false);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name, "model/*.training");
  EXPECT_EQ(groups[1].name, "model/a.p");
  EXPECT_EQ(groups[2].name, "rng/numpy");
  EXPECT_EQ(groups[2].fields, 2u);
}

TEST(FoldSiblingsTest, ThreeOfOneParentAreOneLine) {
  EXPECT_EQ(fold_siblings({"a/0", "b/x", "a/1", "b/y", "a/2", "c"}),
            (std::vector<std::string>{"a/*  (3 fields)", "b/x", "b/y", "c"}));
}

TEST(RanksTextTest, RangesAreShort) {
  EXPECT_EQ(ranks_text({3}), "rank 3");
  EXPECT_EQ(ranks_text({0, 1, 2, 3}), "ranks 0-3");
  EXPECT_EQ(ranks_text({0, 2, 3, 7}), "ranks 0, 2-3, 7");
  EXPECT_EQ(ranks_text({}), "ranks ");
}

}  // namespace
}  // namespace samestep
