// ResumesExactly: a GoogleTest matcher for the result of a twin.
//
//   EXPECT_THAT(run_twin([] { return std::make_unique<Trainer>(); }), ResumesExactly());
//
// Only `same` matches: a run that does not repeat itself, or in which nothing moved, does not. The
// report is printed where it fails. Needs GoogleMock, which samestep itself does not link.
#pragma once

#include <gmock/gmock.h>

#include "resume_check/torch/twin_text.h"

namespace samestep::libtorch {

class ResumesExactlyMatcher {
 public:
  using is_gtest_matcher = void;

  bool MatchAndExplain(const Twin& twin, std::ostream*) const {
    return twin.report.verdict == Verdict::same;
  }
  void DescribeTo(std::ostream* stream) const {
    *stream << "resumes exactly: state and steps are the same, bit for bit";
  }
  void DescribeNegationTo(std::ostream* stream) const { *stream << "does not resume exactly"; }
};

inline ::testing::Matcher<const Twin&> ResumesExactly() { return ResumesExactlyMatcher(); }

/// GoogleTest shows a value by this where it is found before operator<<.
inline void PrintTo(const Twin& twin, std::ostream* stream) { *stream << '\n' << twin; }

}  // namespace samestep::libtorch
