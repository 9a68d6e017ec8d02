#include "checkpoint/pickle/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"

namespace samestep::pickle {
namespace {

using foreign::error_text;
using testing::HasSubstr;

class BuilderTest : public testing::Test {
 protected:
  FileSlice slice_ = foreign::slice_of("........", "p");
  Limits limits_;
};

TEST_F(BuilderTest, NamesTheOpcodeThatItWorksFor) {
  Builder builder(slice_, limits_);
  builder.begin(Opcode::setitem, 5);
  EXPECT_THAT(error_text([&] { builder.pop(); }),
              HasSubstr("p, byte 5: pickle opcode SETITEM: the stack is empty"));
}

TEST_F(BuilderTest, MarksHideWhatLiesBelow) {
  Builder builder(slice_, limits_);
  builder.push_integer(1);
  builder.mark();
  EXPECT_THAT(error_text([&] { builder.top(); }), HasSubstr("stack underflow"));
  builder.push_integer(2);
  EXPECT_EQ(builder.pop_mark().size(), 1u);
  EXPECT_EQ(builder.graph().integer(builder.top()), 1);
}

TEST_F(BuilderTest, CountsMembersAndNotOnlyNodes) {
  limits_.memory_bytes = 10000;
  limits_.memory_per_pickle_byte = 0;
  Builder builder(slice_, limits_);
  builder.push_container(Kind::list);
  const std::vector<NodeId> many(2000, builder.top());
  EXPECT_THAT(error_text([&] { builder.append(many, false); }), HasSubstr("needs more than"));
}

TEST_F(BuilderTest, SharesNoneAndTheBooleans) {
  Builder builder(slice_, limits_);
  const std::size_t nodes = builder.graph().size();
  builder.push_none();
  builder.push_boolean(true);
  builder.push_boolean(false);
  EXPECT_EQ(builder.graph().size(), nodes);
}

}  // namespace
}  // namespace samestep::pickle
