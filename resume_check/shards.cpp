#include "resume_check/shards.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/hasher.h"
#include "resume_check/numbers.h"

namespace samestep {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::size_t kBlocksMax = 1024;
constexpr std::uint64_t kRunsInMax = 4ull << 30;

bool is_block_shaped(const Shape& part, const Shape& whole) {
  if (part.size() != whole.size()) return false;
  for (std::size_t d = 0; d < part.size(); ++d)
    if (part[d] > whole[d]) return false;
  return true;
}

/// Offsets of the blocks along one dimension.
Shape cuts(std::int64_t part, std::int64_t whole) {
  Shape offsets;
  for (std::int64_t at = 0; at + part <= whole && offsets.size() <= kBlocksMax; at += part)
    offsets.push_back(at);
  if (whole % part != 0) offsets.push_back(whole - part);
  return offsets;
}

/// Takes from the bytes of a whole tensor those of one block of it, in order.
class BlockReader {
 public:
  BlockReader(const Shape& part, const Shape& whole, const Shape& offsets, std::uint64_t width)
      : part_(part), index_(part.size(), 0), strides_(part.size()) {
    std::uint64_t stride = width;
    for (std::size_t d = part.size(); d-- > 0; stride *= static_cast<std::uint64_t>(whole[d])) {
      strides_[d] = stride;
      begin_ += stride * static_cast<std::uint64_t>(offsets[d]);
    }
    // The dimensions behind the last one that is cut lie together.
    cut_ = part.size() - 1;
    while (cut_ > 0 && part[cut_] == whole[cut_]) --cut_;
    run_bytes_ = strides_[cut_] * static_cast<std::uint64_t>(part[cut_]);
    at_ = begin_;
  }

  std::uint64_t begin() const { return begin_; }

  /// `piece` begins at byte `from` of the whole; pieces come in order.
  void take(std::uint64_t from, std::span<const std::byte> piece) {
    while (!done_ && at_ + taken_ < from + piece.size()) {
      const std::uint64_t inside = at_ + taken_ - from;
      const std::uint64_t bytes = std::min(run_bytes_ - taken_, piece.size() - inside);
      hasher_.update(piece.subspan(inside, bytes));
      taken_ += bytes;
      if (taken_ == run_bytes_) next_run();
    }
  }

  Digest digest(Dtype dtype) { return hasher_.finish(dtype, part_).root; }

 private:
  void next_run() {
    taken_ = 0;
    for (std::size_t d = cut_; d-- > 0;) {
      at_ += strides_[d];
      if (++index_[d] < part_[d]) return;
      at_ -= strides_[d] * static_cast<std::uint64_t>(part_[d]);
      index_[d] = 0;
    }
    done_ = true;
  }

  Shape part_, index_;
  std::vector<std::uint64_t> strides_;
  std::uint64_t begin_ = 0, run_bytes_ = 0;
  std::uint64_t at_ = 0, taken_ = 0;  ///< of the current run: where it begins, what of it was taken
  std::size_t cut_ = 0;
  bool done_ = false;
  Hasher hasher_;
};

std::vector<BlockReader> readers_of(const Shape& part, const Shape& whole, std::uint64_t width) {
  std::vector<Shape> offsets = {{}};
  for (std::size_t d = 0; d < part.size(); ++d) {
    std::vector<Shape> longer;
    for (const std::int64_t cut : cuts(part[d], whole[d])) {
      for (const Shape& before : offsets) {
        longer.push_back(before);
        longer.back().push_back(cut);
      }
      if (longer.size() > kBlocksMax) return {};
    }
    offsets = std::move(longer);
  }
  std::vector<BlockReader> readers;
  readers.reserve(offsets.size());
  for (const Shape& each : offsets) readers.emplace_back(part, whole, each, width);
  return readers;
}

std::optional<std::uint64_t> place_of_block(const StateEntry& part, const StateEntry& whole) {
  auto readers = readers_of(part.field.shape, whole.field.shape, element_bytes(part.field.dtype));
  std::uint64_t from = 0;
  whole.bytes->stream([&](std::span<const std::byte> piece) {
    for (BlockReader& reader : readers) reader.take(from, piece);
    from += piece.size();
  });
  for (BlockReader& reader : readers)
    if (reader.digest(part.field.dtype) == part.field.digest) return reader.begin();
  return std::nullopt;
}

std::optional<std::uint64_t> place_of_run(const StateEntry& part, const StateEntry& whole) {
  const auto wanted = read_all(part, kRunsInMax);
  std::vector<std::byte> copy;
  auto bytes = whole.bytes->contiguous();
  if (bytes.size() != whole.bytes->size()) {
    copy = read_all(whole, kRunsInMax);
    bytes = copy;
  }
  if (wanted.empty() || bytes.empty()) return std::nullopt;
  const std::uint64_t width = element_bytes(part.field.dtype);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view run(reinterpret_cast<const char*>(wanted.data()), wanted.size());
  for (auto at = text.find(run); at != std::string_view::npos; at = text.find(run, at + 1))
    if (at % width == 0) return at;
  return std::nullopt;
}

}  // namespace

bool may_be_shard(const StateEntry& part, const StateEntry& whole) noexcept {
  const Field &one = part.field, &other = whole.field;
  const bool tensors = one.kind == FieldKind::tensor && other.kind == FieldKind::tensor;
  if (!tensors || one.dtype != other.dtype || element_bytes(one.dtype) == 0) return false;
  if (one.shape.empty() || one.bytes >= other.bytes || !one.digest) return false;
  if (!part.bytes || !whole.bytes) return false;
  return one.shape.size() == 1 || is_block_shaped(one.shape, other.shape);
}

std::optional<std::uint64_t> place_in_whole(const StateEntry& part, const StateEntry& whole) {
  if (part.field.bytes == 0) return 0;
  if (is_block_shaped(part.field.shape, whole.field.shape)) {
    if (const auto place = place_of_block(part, whole)) return place;
  }
  return part.field.shape.size() == 1 ? place_of_run(part, whole) : std::nullopt;
}

}  // namespace samestep
