#include "resume_check/save_marks.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::State;

const State kCursor = State().attribute("dataloader/feed/pos", 32);

Digest digest() { return *testing::entry(kCursor, "dataloader/feed/pos").field.digest; }

StepLog log_of(const std::string& text) { return Leg().event("save", text).record().log; }

std::string saved(int completed, const std::string& rest) {
  return R"({"call":"torch.save","completed":)" + std::to_string(completed) + rest + "}";
}

TEST(SaveMarks, ACursorIsKnownByItsLastName) {
  const auto log =
      log_of(saved(4, R"(,"undeclared":{"loop/self/feed/pos":")" + digest().hex() + R"("})"));
  EXPECT_TRUE(UndeclaredMarks(log, 4).had("pos", digest()));
  EXPECT_FALSE(UndeclaredMarks(log, 4).had("cursor", digest()));
  EXPECT_FALSE(UndeclaredMarks(log, 4).had("pos", Digest{}));
  EXPECT_FALSE(UndeclaredMarks(log, 3).had("pos", digest())) << "a save of another step";
}

TEST(SaveMarks, StreamsAreToldOnBothSidesOfTheCall) {
  const auto log = log_of(saved(4, R"(,"before":{"rng/a":"1"},"after":{"rng/a":"2"})"));
  const auto marks = streams_at_saves(log, 4);
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0].at("rng/a"), "1");
  EXPECT_EQ(marks[1].at("rng/a"), "2");
  EXPECT_TRUE(streams_at_saves(log, 5).empty());
}

TEST(SaveMarks, ASaveThatTellsNothingIsNone) {
  EXPECT_TRUE(streams_at_saves(log_of("{}"), 0).empty());
  EXPECT_FALSE(UndeclaredMarks(log_of(saved(4, "")), 4).had("pos", digest()));
}

}  // namespace
}  // namespace samestep
