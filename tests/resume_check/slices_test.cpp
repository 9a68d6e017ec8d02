#include "resume_check/slices.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Elements;
using testing::filled;
using testing::ramp;
using testing::State;

Elements joined(std::initializer_list<Elements> parts) {
  Elements all{Dtype::float32, {}, {}};
  for (const auto& part : parts)
    all.bytes.insert(all.bytes.end(), part.bytes.begin(), part.bytes.end());
  all.shape = {static_cast<std::int64_t>(all.bytes.size() / 4)};
  return all;
}

TEST(Slices, AreFoundAtTheirElement) {
  const auto live = State()
                        .parameter("model/a", ramp(5, 1))
                        .parameter("model/b", joined({filled(6, 0), ramp(5, 2)}));
  const auto file =
      State().tensor("extra/flat", joined({filled(9, 0), ramp(5, 2), ramp(5, 1)}), "");
  const auto &a = testing::entry(live, "model/a"), &b = testing::entry(live, "model/b");
  const auto found = find_slices({&a, &b}, {&file.tree().entries().front()});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at(&a).byte, 56u);
  EXPECT_EQ(found.at(&b).byte, 12u) << "it begins with zeros";
}

TEST(Slices, AreThoseOfTheFirstTensorThatHasThem) {
  const auto live = State().parameter("model/a", ramp(5, 1));
  auto file = State();
  for (int i = 0; i < 40; ++i) {
    const auto padding = filled(i + 1, static_cast<float>(i));
    file.tensor("extra/" + std::to_string(100 + i),
                i < 7 ? joined({padding, ramp(9, 70)}) : joined({padding, ramp(5, 1)}), "");
  }
  std::vector<const StateEntry*> larger;
  for (const auto& entry : file.tree().entries()) larger.push_back(&entry);
  const auto found = find_slices({&live.tree().entries().front()}, larger);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.begin()->second.entry->field.path.text(), "extra/107");
  EXPECT_EQ(found.begin()->second.byte, 32u);
}

TEST(Slices, AreFoundWhereverTheyBegin) {
  const auto live = State().parameter("model/a", ramp(5, 1));
  for (const int before : {1, 59, 60, 61, 63, 64, 65, 127, 128, 300}) {
    for (const int behind : {0, 1, 64}) {
      const auto file = State().tensor(
          "extra/flat", joined({filled(before, 7), ramp(5, 1), filled(behind + 1, 7)}), "");
      const auto found =
          find_slices({&live.tree().entries().front()}, {&file.tree().entries().front()});
      ASSERT_EQ(found.size(), 1u) << before << " before, " << behind << " behind";
      EXPECT_EQ(found.begin()->second.byte, 4u * before);
    }
  }
}

TEST(Slices, NeedTheSameDtypeAndAllBytes) {
  const auto live = State().parameter("model/a", ramp(8, 1));
  auto integers = joined({filled(2, 0), ramp(8, 1)});
  integers.dtype = Dtype::int32;
  auto cut = joined({filled(2, 0), ramp(8, 1)});
  cut.bytes.resize(cut.bytes.size() - 4);
  cut.shape = {9};
  for (const auto& larger : {integers, cut}) {
    const auto file = State().tensor("extra/flat", larger, "");
    EXPECT_TRUE(
        find_slices({&live.tree().entries().front()}, {&file.tree().entries().front()}).empty());
  }
}

}  // namespace
}  // namespace samestep
