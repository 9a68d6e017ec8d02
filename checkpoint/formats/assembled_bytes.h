// AssembledBytes: a tensor whose blocks lie in different places, streamed in row-major order.
#pragma once

#include <cstdint>
#include <vector>

#include "checkpoint/field_bytes.h"

namespace samestep {

/// One block: where it begins in the tensor, its size, and its own bytes in row-major order.
struct Block {
  std::vector<std::int64_t> offsets, sizes;
  FieldBytesPtr bytes;
};

/// How the blocks of a tensor cover it.
enum class Cover : std::uint8_t { whole, hole, overlap };
Cover cover_of(const std::vector<Block>& blocks, const std::vector<std::int64_t>& shape);

/// The tensor's bytes. The blocks cover it whole; each block's bytes are as long as its size says.
/// Nothing is copied but a block whose own bytes do not lie in one piece.
FieldBytesPtr assembled_bytes(std::vector<Block> blocks, std::vector<std::int64_t> shape,
                              std::uint32_t item_bytes);

/// Stands for bytes that are not there: `size` of them, and an Error{corrupt} for whoever streams
/// them.
FieldBytesPtr missing_bytes(std::uint64_t size, std::string where, std::string why);

}  // namespace samestep
