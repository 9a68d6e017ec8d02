#include "tools/diff_subjects.h"

#include <gmock/gmock.h>

#include "checkpoint/files/folder.h"
#include "tests/capture/session_fixture.h"

namespace samestep {
namespace {

const std::string kPairs = std::string(SAMESTEP_TEST_DATA) + "/samples/hostile/";

class DiffSubjectsTest : public SessionTest {
 protected:
  std::string run_of(const std::string& name, std::int64_t at, int ranks) {
    plan.run = folder / name;
    plan.at = at;
    for (int rank = 0; rank < ranks; ++rank) train(*open(rank, ranks), at + 2);
    return plan.run;
  }
};

TEST_F(DiffSubjectsTest, OneBitIsOneFinding) {
  const Report report = diff_subjects(kPairs + "pair-one-bit/a.pt", kPairs + "pair-one-bit/b.pt");
  EXPECT_EQ(report.verb, "diff");
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 1u);
  ASSERT_TRUE(report.findings[0].difference);
  EXPECT_EQ(report.findings[0].difference->elements, 1u);
  EXPECT_FALSE(report.findings[0].next.empty());
}

TEST_F(DiffSubjectsTest, OrderOfKeysIsNoDifference) {
  EXPECT_EQ(diff_subjects(kPairs + "pair-dict-order/a.pt", kPairs + "pair-dict-order/b.pt").verdict,
            Verdict::same);
}

TEST_F(DiffSubjectsTest, RanksAreComparedWithThemselves) {
  const std::string first = run_of("a", 2, 2), second = run_of("b", 3, 2);
  EXPECT_EQ(diff_subjects(first, first).verdict, Verdict::same);
  const Report report = diff_subjects(first, second);
  EXPECT_EQ(report.verdict, Verdict::diverged);
  EXPECT_EQ(report.coverage.ranks_heard, (std::vector<int>{0, 1}));
  EXPECT_EQ(report.coverage.ranks_expected, 2);
  bool second_rank = false;
  for (const Finding& finding : report.findings) second_rank = second_rank || finding.rank == 1;
  EXPECT_TRUE(second_rank);
}

TEST_F(DiffSubjectsTest, EqualCapturesAreComparedByTheirManifestsAlone) {
  const std::string first = run_of("a", 2, 1), second = run_of("b", 2, 1);
  for (const std::string& run : {first, second})
    remove_tree(run + "/.samestep/captures/2/rank-0.0.pack");
  const Report report = diff_subjects(first, second);
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_EQ(report.coverage.fields_equal, 2u);
}

TEST_F(DiffSubjectsTest, QuickNamesTheTensorAndSaysThatItIsAHint) {
  const Report report =
      quick_diff_subjects(kPairs + "pair-one-bit/a.pt", kPairs + "pair-one-bit/b.pt");
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_THAT(report.reason, testing::HasSubstr("a hint"));
  EXPECT_THAT(report.findings[0].next, testing::StartsWith("samestep diff "));
  EXPECT_EQ(
      quick_diff_subjects(kPairs + "pair-dict-order/a.pt", kPairs + "pair-dict-order/b.pt").verdict,
      Verdict::same);
}

TEST_F(DiffSubjectsTest, ALonelyRankIsNotCalledEqual) {
  const Report report = diff_subjects(run_of("a", 2, 2), run_of("b", 2, 1));
  EXPECT_EQ(report.coverage.ranks_heard, (std::vector<int>{0}));
  ASSERT_FALSE(report.coverage.not_compared.empty());
  EXPECT_THAT(report.coverage.not_compared,
              ::testing::Contains(::testing::Pair("rank 1", "only in the first")));
}

}  // namespace
}  // namespace samestep
