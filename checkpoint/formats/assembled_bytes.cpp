#include "checkpoint/formats/assembled_bytes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checkpoint/formats/tensor_leaf.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using Numbers64 = std::vector<std::int64_t>;

std::uint64_t volume(const Block& block) { return element_count(block.sizes).value_or(0); }

bool intersect(const Block& a, const Block& b) {
  for (std::size_t i = 0; i < a.sizes.size(); ++i)
    if (a.offsets[i] >= b.offsets[i] + b.sizes[i] || b.offsets[i] >= a.offsets[i] + a.sizes[i])
      return false;
  return true;
}

/// A block as memory.
struct Part {
  const Block* block;
  const std::byte* base;
};

class AssembledBytes : public FieldBytes {
 public:
  AssembledBytes(std::vector<Block> blocks, Numbers64 shape, std::uint32_t item_bytes)
      : blocks_(std::move(blocks)), shape_(std::move(shape)), item_bytes_(item_bytes) {
    inner_.assign(shape_.size() + 1, item_bytes_);
    for (std::size_t i = shape_.size(); i-- > 0;)
      inner_[i] = inner_[i + 1] * static_cast<std::uint64_t>(shape_[i]);
  }

  std::uint64_t size() const override { return inner_[0]; }

  std::span<const std::byte> contiguous() const override {
    return blocks_.size() == 1 ? blocks_[0].bytes->contiguous() : std::span<const std::byte>();
  }

  void stream(const ByteSink& sink) const override {
    if (blocks_.size() == 1) return blocks_[0].bytes->stream(sink);
    std::vector<std::vector<std::byte>> copies;
    copies.reserve(blocks_.size());
    std::vector<Part> parts;
    for (const Block& block : blocks_) {
      if (volume(block) == 0) continue;
      auto bytes = block.bytes->contiguous();
      if (bytes.empty()) bytes = copies.emplace_back(copy_of(block));
      SAMESTEP_CHECK(bytes.size() == volume(block) * item_bytes_);
      parts.push_back({&block, bytes.data()});
    }
    emit(0, parts, sink);
  }

 private:
  static std::vector<std::byte> copy_of(const Block& block) {
    std::vector<std::byte> copy;
    copy.reserve(block.bytes->size());
    block.bytes->stream([&](std::span<const std::byte> piece) {
      copy.insert(copy.end(), piece.begin(), piece.end());
    });
    return copy;
  }

  /// Bytes between two neighbours along dimension `d` of a block.
  std::uint64_t step_bytes(const Block& block, std::size_t d) const {
    std::uint64_t bytes = item_bytes_;
    for (std::size_t i = d + 1; i < block.sizes.size(); ++i)
      bytes *= static_cast<std::uint64_t>(block.sizes[i]);
    return bytes;
  }

  /// Streams all of dimensions `d` and deeper, where `parts` (their base moved to the current row
  /// of the dimensions above) cover them: between two borders along `d` the same parts apply, and
  /// one part alone is one run of memory.
  void emit(std::size_t d, const std::vector<Part>& parts, const ByteSink& sink) const {
    if (d == shape_.size()) {
      sink({parts[0].base, item_bytes_});
      return;
    }
    Numbers64 borders;
    for (const Part& part : parts) {
      borders.push_back(part.block->offsets[d]);
      borders.push_back(part.block->offsets[d] + part.block->sizes[d]);
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    for (std::size_t i = 0; i + 1 < borders.size(); ++i)
      slab(d, borders[i], borders[i + 1], parts, sink);
  }

  void slab(std::size_t d, std::int64_t begin, std::int64_t end, const std::vector<Part>& parts,
            const ByteSink& sink) const {
    std::vector<Part> inside;
    for (const Part& part : parts) {
      const Block& block = *part.block;
      if (block.offsets[d] > begin || block.offsets[d] + block.sizes[d] < end) continue;
      inside.push_back({&block, part.base + static_cast<std::uint64_t>(begin - block.offsets[d]) *
                                                step_bytes(block, d)});
    }
    SAMESTEP_CHECK(!inside.empty());
    if (inside.size() == 1) {
      sink({inside[0].base, static_cast<std::uint64_t>(end - begin) * inner_[d + 1]});
      return;
    }
    for (std::int64_t row = begin; row < end; ++row) {
      emit(d + 1, inside, sink);
      for (Part& part : inside) part.base += step_bytes(*part.block, d);
    }
  }

  std::vector<Block> blocks_;
  Numbers64 shape_;
  std::uint32_t item_bytes_;
  std::vector<std::uint64_t> inner_;  // bytes of the tensor's dimensions d and deeper
};

class MissingBytes : public FieldBytes {
 public:
  MissingBytes(std::uint64_t size, std::string where, std::string why)
      : size_(size), where_(std::move(where)), why_(std::move(why)) {}
  std::uint64_t size() const override { return size_; }
  void stream(const ByteSink&) const override {
    throw Error(ErrorCode::corrupt, why_, where_, "copy the checkpoint whole, or save it again");
  }

 private:
  std::uint64_t size_;
  std::string where_, why_;
};

}  // namespace

Cover cover_of(const std::vector<Block>& blocks, const Numbers64& shape) {
  std::vector<const Block*> order;
  std::uint64_t covered = 0;
  for (const Block& block : blocks) {
    if (volume(block) == 0) continue;
    order.push_back(&block);
    covered += volume(
        block);  // each lies inside the tensor, so that a sum past 64 bits needs 2^32 equal blocks
  }
  // Along the first dimension blocks that begin before another one ends are candidates; sharded
  // tensors have few.
  const auto first = [&](const Block* block) { return shape.empty() ? 0 : block->offsets[0]; };
  std::sort(order.begin(), order.end(),
            [&](const Block* a, const Block* b) { return first(a) < first(b); });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      if (!shape.empty() && first(order[j]) >= first(order[i]) + order[i]->sizes[0]) break;
      if (intersect(*order[i], *order[j])) return Cover::overlap;
    }
  return covered == element_count(shape) ? Cover::whole : Cover::hole;
}

FieldBytesPtr assembled_bytes(std::vector<Block> blocks, Numbers64 shape,
                              std::uint32_t item_bytes) {
  return std::make_shared<AssembledBytes>(std::move(blocks), std::move(shape), item_bytes);
}

FieldBytesPtr missing_bytes(std::uint64_t size, std::string where, std::string why) {
  return std::make_shared<MissingBytes>(size, std::move(where), std::move(why));
}

}  // namespace samestep
