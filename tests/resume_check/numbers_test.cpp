#include "resume_check/numbers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::elements;
using testing::scalar;
using testing::State;

State value(Value held) { return State().value("f", std::move(held), ""); }
State tensor(const testing::Elements& made) { return State().tensor("f", made, ""); }

const StateEntry& only(const State& state) { return state.tree().entries().front(); }

struct Row {
  const char* what;
  State source, target;
  bool equal;
};

std::vector<Row> rows() {
  const std::vector<double> wide{4.0}, one{4.0};
  const std::vector<std::int64_t> counts{1, 2, 3};
  const std::vector<std::int32_t> narrow{1, 2, 3};
  const std::vector<std::byte> raw{std::byte{1}, std::byte{9}};
  return {
      {"int and float", value(std::int64_t{4}), value(4.0), true},
      {"int and another float", value(std::int64_t{4}), value(4.5), false},
      {"int and 0-d tensor", value(std::int64_t{4}), tensor(scalar(4)), true},
      {"0-d and 1-d", tensor(scalar(4)), tensor(elements(wide, Dtype::float64, {1})), true},
      {"beyond 2^53", value(std::int64_t{9007199254740993}), value(std::int64_t{9007199254740992}),
       false},
      {"zeros of other sign", value(0.0), value(-0.0), false},
      {"NaN", value(std::nan("")), value(std::nan("1")), true},
      {"bool and int", value(true), value(std::int64_t{1}), true},
      {"list and tensor", value(Numbers{counts}), tensor(elements(narrow, Dtype::int32, {3})),
       true},
      {"bytes and uint8 tensor", value(Bytes(raw)), tensor(testing::octets(raw)), true},
      {"text and number", value(std::string("4")), value(std::int64_t{4}), false},
      {"another shape", tensor(elements(narrow, Dtype::int32, {3})),
       tensor(elements(narrow, Dtype::int32, {3, 1})), true},
      {"long tensors of another dtype", tensor(elements(counts, Dtype::int64, {3})),
       tensor(elements(narrow, Dtype::int32, {3})), false},
  };
}

TEST(Numbers, EqualInValue) {
  for (const auto& row : rows()) {
    EXPECT_EQ(equal_in_value(only(row.source), only(row.target)), row.equal) << row.what;
    EXPECT_EQ(equal_in_value(only(row.target), only(row.source)), row.equal) << row.what;
  }
}

TEST(Numbers, OneNumberOrNone) {
  EXPECT_EQ(number_of(only(tensor(scalar(2.5))))->real, 2.5);
  EXPECT_EQ(number_of(only(value(std::int64_t{7})))->exact, 7);
  EXPECT_FALSE(number_of(only(tensor(testing::ramp(2, 1)))));
  EXPECT_FALSE(number_of(only(value(std::string("7")))));
}

TEST(Numbers, ReadAllKeepsToItsBound) {
  const auto state = tensor(testing::ramp(8, 1));
  EXPECT_EQ(read_all(only(state)).size(), 32u);
  EXPECT_TRUE(read_all(only(state), 31).empty());
}

}  // namespace
}  // namespace samestep
