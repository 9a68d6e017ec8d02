#include "resume_check/cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Elements;
using testing::ramp;
using testing::State;

/// `source` stored as `dtype`.
Elements as(Dtype dtype, const Elements& source) {
  const auto from = element_bytes(source.dtype), to = element_bytes(dtype);
  Elements made{dtype, source.shape, std::vector<std::byte>(source.bytes.size() / from * to)};
  for (std::size_t i = 0; i < source.bytes.size() / from; ++i) {
    store_real(dtype, *real_element(source.dtype, source.bytes.data() + i * from),
               made.bytes.data() + i * to);
  }
  return made;
}

std::optional<Dtype> cast(const Elements& a, const Elements& b) {
  const auto source = State().tensor("f", a, ""), target = State().tensor("f", b, "");
  return cast_between(source.tree().entries().front(), target.tree().entries().front());
}

TEST(Cast, IsFoundInNarrowerAndInReturnedTensors) {
  const auto full = ramp(9, 3);
  for (const auto narrow : {Dtype::bfloat16, Dtype::float16}) {
    EXPECT_EQ(cast(full, as(narrow, full)), narrow);
    EXPECT_EQ(cast(full, as(Dtype::float32, as(narrow, full))), narrow);
  }
  EXPECT_FALSE(cast(full, ramp(9, 4)));
  EXPECT_FALSE(cast(full, full));
}

TEST(Cast, ZerosAreNoEvidence) {
  const auto small = testing::filled(9, 1e-12f), zeros = testing::filled(9, 0);
  EXPECT_FALSE(cast(small, zeros));
  EXPECT_FALSE(cast(small, as(Dtype::float16, zeros)));
  EXPECT_EQ(cast(zeros, as(Dtype::float16, zeros)), Dtype::float16);
}

TEST(Cast, WideningLosesNothing) {
  const auto narrow = as(Dtype::bfloat16, ramp(9, 3));
  const auto source = State().tensor("f", narrow, ""),
             target = State().tensor("f", as(Dtype::float32, narrow), "");
  const auto& a = source.tree().entries().front();
  const auto& b = target.tree().entries().front();
  EXPECT_TRUE(equal_when_widened(a, b));
  EXPECT_FALSE(equal_when_widened(b, a));
}

/// Bits as PyTorch makes them: torch.tensor(x).to(dtype).view(torch.int16).
struct Row {
  double value;
  std::uint16_t half, brain;
};
constexpr Row kRows[] = {
    {1.0, 0x3c00, 0x3f80},        {-0.0, 0x8000, 0x8000},
    {65504.0, 0x7bff, 0x4780},    {65520.0, 0x7c00, 0x4780},
    {1e-8, 0x0000, 0x322c},       {6e-8, 0x0001, 0x3381},
    {0.1, 0x2e66, 0x3dcd},        {1.00390625, 0x3c04, 0x3f80},
    {1.01171875, 0x3c0c, 0x3f82}, {0.00006103515625, 0x0400, 0x3880},
    {INFINITY, 0x7c00, 0x7f80},
};

TEST(Cast, RoundsAsPyTorchDoes) {
  for (const auto& row : kRows) {
    std::uint16_t bits = 0;
    std::byte place[2];
    ASSERT_TRUE(store_real(Dtype::float16, row.value, place));
    std::memcpy(&bits, place, 2);
    EXPECT_EQ(bits, row.half) << row.value;
    ASSERT_TRUE(store_real(Dtype::bfloat16, row.value, place));
    std::memcpy(&bits, place, 2);
    EXPECT_EQ(bits, row.brain) << row.value;
  }
}

TEST(Cast, ReadsHalvesOfEveryKind) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    std::byte place[2], back[2];
    std::memcpy(place, &half, 2);
    const double value = *real_element(Dtype::float16, place);
    if (std::isnan(value)) continue;
    store_real(Dtype::float16, value, back);
    EXPECT_EQ(std::memcmp(place, back, 2), 0) << bits;
  }
}

TEST(Cast, OtherDtypesHaveNone) {
  std::byte place[8]{};
  EXPECT_FALSE(real_element(Dtype::int64, place));
  EXPECT_FALSE(store_real(Dtype::uint8, 1, place));
}

TEST(Cast, APlainNumberIsNoTensorOfItsShape) {
  const std::vector<std::int64_t> none;
  const Elements zero{Dtype::float32, none, std::vector<std::byte>(4)};
  const State tensor = State().tensor("f", zero, ""), number = State().attribute("f", 3);
  const auto &a = tensor.tree().entries().front(), &b = number.tree().entries().front();
  for (const auto* source : {&a, &b}) {
    for (const auto* target : {&a, &b}) {
      EXPECT_FALSE(cast_between(*source, *target));
      EXPECT_FALSE(equal_when_widened(*source, *target));
    }
  }
}

}  // namespace
}  // namespace samestep
