#include "resume_check/streams.h"

#include <gtest/gtest.h>

#include "tests/resume_check/generators.h"

namespace samestep {
namespace {

using testing::elements;
using testing::Leg;
using testing::numpy_stream;
using testing::octets;
using testing::python_stream;
using testing::ramp;
using testing::State;
using testing::torch_stream;

/// What is told of `stream` when the three copies are these.
StreamLook look(const std::string& stream, const State& captured, const State& file,
                const State& restored, const Leg* leg = nullptr) {
  Leg first = leg ? *leg : Leg();
  const RankRecord before = first.capture(4, captured).record();
  const RankRecord after = Leg().capture(4, restored).record();
  const auto alignment = align(before.tree, file.tree());
  const auto fates = fates_of(before, alignment, after);
  const auto looks = look_at_streams(fates, before.log, 4);
  const auto found = looks.find(stream);
  return found == looks.end() ? StreamLook{} : found->second;
}

TEST(Streams, TheRunWentOnSinceTheSave) {
  const struct {
    const char* stream;
    State captured, file;
  } rows[] = {
      {"rng/torch.cpu", torch_stream("rng/torch.cpu", 5, 900), torch_stream("rng/torch.cpu", 5, 2)},
      {"rng/generator.mask", torch_stream("rng/generator.mask", 5, 900),
       torch_stream("rng/generator.mask", 5, 2)},
      {"rng/numpy", numpy_stream(5, 900), numpy_stream(5, 2)},
      {"rng/python", python_stream(5, 900), python_stream(5, 2)},
  };
  for (const auto& row : rows) {
    const auto ahead = look(row.stream, row.captured, row.file, row.captured);
    EXPECT_TRUE(ahead.as_saved) << row.stream;
    EXPECT_EQ(ahead.since_save, 898u) << row.stream;
    const auto behind = look(row.stream, row.file, row.captured, row.file);
    EXPECT_FALSE(behind.as_saved) << row.stream << ": the file is ahead of the run";
    EXPECT_FALSE(behind.since_save) << row.stream;
  }
}

TEST(Streams, APositionOfNumPysInTheSameBlock) {
  const auto ahead =
      look("rng/numpy", numpy_stream(5, 40), numpy_stream(5, 10), numpy_stream(5, 40));
  EXPECT_TRUE(ahead.as_saved);
  EXPECT_EQ(ahead.since_save, 30u);
}

TEST(Streams, ACudaStreamCounts) {
  const auto at = [](std::uint64_t seed, std::uint64_t offset) {
    std::vector<std::byte> bytes(16);
    std::memcpy(bytes.data(), &seed, 8);
    std::memcpy(bytes.data() + 8, &offset, 8);
    return State().stream("rng/torch.cuda.0", octets(bytes));
  };
  EXPECT_EQ(look("rng/torch.cuda.0", at(3, 40), at(3, 8), at(3, 40)).since_save, 32u);
  EXPECT_FALSE(look("rng/torch.cuda.0", at(3, 40), at(4, 8), at(3, 40)).as_saved);
  EXPECT_FALSE(look("rng/torch.cuda.0", at(3, 8), at(3, 40), at(3, 8)).as_saved);
}

TEST(Streams, WhereTheResumedRunStands) {
  const auto at = [](int draws) { return torch_stream("rng/torch.cpu", 5, draws); };
  const auto ahead = look("rng/torch.cpu", at(10), at(10), at(700));
  EXPECT_EQ(ahead.restored_ahead, 690u);
  EXPECT_EQ(ahead.saved_ahead, 690u);
  EXPECT_FALSE(ahead.as_saved) << "the file is right as it is";
  EXPECT_EQ(look("rng/torch.cpu", at(700), at(700), at(10)).restored_behind, 690u);
}

TEST(Streams, TheRecordOfTheSaveCounts) {
  const auto live = State().stream("rng/generator.odd", ramp(8, 2)),
             saved = State().stream("rng/generator.odd", ramp(8, 1));
  const auto digest = testing::entry(saved, "rng/generator.odd").field.digest->hex();
  const auto event = [&](int completed, const std::string& hex) {
    return R"({"call":"torch.save","completed":)" + std::to_string(completed) +
           R"(,"inside":false,"before":{"rng/generator.odd":")" + hex + R"("}})";
  };
  Leg marked, earlier, other;
  marked.event("save", event(4, digest));
  earlier.event("save", event(3, digest));
  other.event("save", event(4, std::string(32, '0')));
  EXPECT_TRUE(look("rng/generator.odd", live, saved, live, &marked).as_saved);
  EXPECT_FALSE(look("rng/generator.odd", live, saved, live, &marked).since_save);
  EXPECT_FALSE(look("rng/generator.odd", live, saved, live, &earlier).as_saved);
  EXPECT_FALSE(look("rng/generator.odd", live, saved, live, &other).as_saved);
  EXPECT_FALSE(look("rng/generator.odd", live, saved, live).as_saved);
}

TEST(Streams, FreshSeedsShow) {
  const auto fresh = torch_stream("rng/torch.cpu", 5, 0),
             used = torch_stream("rng/torch.cpu", 5, 3);
  EXPECT_EQ(just_seeded({&testing::entry(fresh, "rng/torch.cpu")}), true);
  EXPECT_EQ(just_seeded({&testing::entry(used, "rng/torch.cpu")}), false);
  const auto odd = State().stream("rng/generator.odd", ramp(8, 1));
  EXPECT_FALSE(just_seeded({&testing::entry(odd, "rng/generator.odd")}).has_value());
}

TEST(Streams, AGeneratorThatGoesOnIsToldFromOneThatIsSeededAnew) {
  const auto at = [](std::uint32_t seed, int draws) {
    return torch_stream("rng/generator.mask", seed, draws);
  };
  const auto now = at(5, 700), later = at(5, 900), anew = at(6, 200);
  const auto& entry = testing::entry(now, "rng/generator.mask");
  EXPECT_TRUE(goes_on_to(entry, *testing::entry(later, "rng/generator.mask").field.digest));
  EXPECT_FALSE(goes_on_to(entry, *testing::entry(anew, "rng/generator.mask").field.digest));
  EXPECT_FALSE(goes_on_to(entry, *entry.field.digest)) << "it stands still";
}

}  // namespace
}  // namespace samestep
