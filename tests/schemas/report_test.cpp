#include "schemas/report.h"

#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

TEST(ReportTest, ReportWordsAreFrozen) {
  const char* verdicts[] = {"same", "diverged", "undecided"};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(to_string(static_cast<Verdict>(i)), verdicts[i]);
    EXPECT_EQ(verdict_from(verdicts[i]), static_cast<Verdict>(i));
  }
  const char* kinds[] = {"gap", "breach", "divergence", "cause"};
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(to_string(static_cast<FindingKind>(i)), kinds[i]);
    EXPECT_EQ(finding_kind_from(kinds[i]), static_cast<FindingKind>(i));
  }
  EXPECT_EQ(grade_from("confirmed"), Grade::confirmed);
  EXPECT_EQ(grade_from("warning"), Grade::warning);
  EXPECT_THROW(verdict_from("equal"), Error);
  EXPECT_THROW(grade_from("error"), Error);
  EXPECT_THROW(finding_kind_from("hole"), Error);
}

}  // namespace
}  // namespace samestep
