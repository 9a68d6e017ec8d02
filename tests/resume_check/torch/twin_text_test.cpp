#include "resume_check/torch/twin_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resume_check/torch/resumes_exactly.h"
#include "tests/resume_check/torch/tiny_twin.h"

namespace samestep::libtorch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Twin diverged(TwinMode mode) {
  TinyFault fault;
  fault.saved.leave_out = {"grad_scaler/scale"};
  TwinOptions options;
  options.mode = mode;
  return run_twin(tiny(fault), options);
}

TEST(TextOfATwin, NamesTheFieldWhatHappenedToItAndTheVerdictLast) {
  const std::string text = twin_text(diverged(TwinMode::free_run));
  EXPECT_THAT(text, HasSubstr("grad_scaler/scale: missing, "));
  EXPECT_THAT(text, HasSubstr("  uninterrupted 3456.0\n  checkpoint    absent\n"));
  EXPECT_THAT(text, HasSubstr("\ncompared: "));
  EXPECT_THAT(text, HasSubstr("  not compared: execution contract: "));
  EXPECT_THAT(text, Not(HasSubstr("put back")));
  const auto last = text.rfind('\n', text.size() - 2);
  EXPECT_THAT(text.substr(last + 1), ::testing::StartsWith("verdict: diverged: "));
}

TEST(TextOfATwin, SaysWhatWasPutBack) {
  EXPECT_THAT(twin_text(diverged(TwinMode::lock_step)),
              HasSubstr("with what differs put back at each boundary, these differ:\n"
                        "  step 4, begin: grad_scaler/scale\n"));
  TwinOptions options;
  options.mode = TwinMode::per_step;
  EXPECT_THAT(twin_text(run_twin(tiny(), options)),
              HasSubstr("put back after each step, nothing differs\n"));
}

TEST(TextOfATwin, IsWhatAFailingTestPrints) {
  const Twin twin = diverged(TwinMode::free_run);
  ::testing::StringMatchResultListener listener;
  EXPECT_FALSE(::testing::ExplainMatchResult(ResumesExactly(), twin, &listener));
  EXPECT_THAT(::testing::PrintToString(twin), HasSubstr("verdict: diverged"));
  EXPECT_EQ(::testing::DescribeMatcher<const Twin&>(ResumesExactly()),
            "resumes exactly: state and steps are the same, bit for bit");
}

}  // namespace
}  // namespace samestep::libtorch
