#include "resume_check/digests.h"

#include <gtest/gtest.h>

#include <numeric>

#include "resume_check/cancel.h"
#include "schemas/error.h"
#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::elements;
using testing::filled;
using testing::ramp;
using testing::State;

bool distinctive(const testing::Elements& made) {
  const auto state = State().tensor("f", made, "");
  return is_distinctive(state.tree().entries().front());
}

TEST(Digests, AreComputedWhereTheyAreAbsent) {
  auto state = State().parameter("model/w", ramp(8, 1));
  StateTree tree = state.tree();
  const auto digest = tree.entries().front().field.digest;
  tree.entries().front().field.digest.reset();
  compute_digests(tree);
  EXPECT_EQ(tree.entries().front().field.digest, digest);
}

TEST(Digests, StopWhenCancelled) {
  StateTree tree = State().parameter("model/w", ramp(8, 1)).tree();
  request_cancel();
  EXPECT_THROW(compute_digests(tree), Error);
  reset_cancel();
}

TEST(Digests, ShortOrUniformTensorsAreNoEvidence) {
  EXPECT_TRUE(distinctive(ramp(8, 1)));
  EXPECT_FALSE(distinctive(ramp(3, 1))) << "12 bytes";
  EXPECT_FALSE(distinctive(filled(1000, 0)));
  EXPECT_FALSE(distinctive(filled(1000, 0.1f)));
  EXPECT_FALSE(distinctive(elements(std::vector<std::int64_t>{0, 1, 2, 3}, Dtype::int64, {4})));
}

/// Does not lie in memory in one piece.
class Pieces : public FieldBytes {
 public:
  explicit Pieces(std::vector<std::vector<std::byte>> pieces) : pieces_(std::move(pieces)) {}
  std::uint64_t size() const override {
    return std::accumulate(pieces_.begin(), pieces_.end(), std::uint64_t{0},
                           [](auto sum, const auto& piece) { return sum + piece.size(); });
  }
  void stream(const ByteSink& sink) const override {
    for (const auto& piece : pieces_) {
      sink(piece);
      ++streamed;
    }
  }

  mutable int streamed = 0;  ///< pieces that the sink has taken without a throw

 private:
  std::vector<std::vector<std::byte>> pieces_;
};

/// So many bytes, the last of which are `ends`.
std::vector<std::byte> zeros_and(std::size_t count, std::initializer_list<int> ends) {
  std::vector<std::byte> bytes(count);
  auto at = bytes.end() - static_cast<std::ptrdiff_t>(ends.size());
  for (const int end : ends) *at++ = static_cast<std::byte>(end);
  return bytes;
}

bool distinctive(const std::shared_ptr<Pieces>& bytes) {
  StateEntry entry;
  entry.field.kind = FieldKind::tensor;
  entry.field.bytes = bytes->size();
  entry.bytes = bytes;
  return is_distinctive(entry);
}

bool distinctive(std::vector<std::vector<std::byte>> pieces) {
  return distinctive(std::make_shared<Pieces>(std::move(pieces)));
}

TEST(Digests, ValuesOfAllPiecesCountTogether) {
  EXPECT_TRUE(distinctive({zeros_and(64, {1, 2}), zeros_and(64, {3, 4, 5})}));
  EXPECT_FALSE(distinctive({zeros_and(64, {1, 2}), zeros_and(64, {2, 3, 4})}));
}

TEST(Digests, OnlyTheBeginOfAPieceAndTheFirstMebibyteAreLookedAt) {
  EXPECT_TRUE(distinctive({zeros_and(4096, {1, 2, 3, 4, 5})}));
  EXPECT_FALSE(distinctive({zeros_and(4097, {1, 2, 3, 4, 5})}));
  EXPECT_FALSE(distinctive({zeros_and(1 << 20, {}), zeros_and(64, {1, 2, 3, 4, 5})}));
  EXPECT_TRUE(distinctive({zeros_and((1 << 20) - 1, {}), zeros_and(64, {1, 2, 3, 4, 5})}));
  std::vector<std::uint8_t> late(5000, 0);
  for (std::size_t i = 4096; i < late.size(); ++i) late[i] = static_cast<std::uint8_t>(i);
  EXPECT_FALSE(distinctive(elements(late, Dtype::uint8, {5000}))) << "one piece of memory";
}

TEST(Digests, NothingIsReadOnceEnoughIsSeen) {
  const auto bytes = std::make_shared<Pieces>(
      std::vector{zeros_and(64, {1}), zeros_and(64, {2, 3, 4, 5}), zeros_and(64, {})});
  EXPECT_TRUE(distinctive(bytes));
  EXPECT_EQ(bytes->streamed, 1);
}

}  // namespace
}  // namespace samestep
