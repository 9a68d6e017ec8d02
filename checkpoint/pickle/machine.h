// Machine: runs the opcodes of a pickle and builds a Graph. It never imports, calls or resolves
// anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/pickle/graph.h"

namespace samestep::pickle {

/// What a pickle may cost. Memory is the graph's own, beside the pickle; a larger pickle may use
/// more.
struct Limits {
  std::uint64_t memory_bytes = 192ull << 20;
  std::uint64_t memory_per_pickle_byte = 16;
  std::uint64_t text_digits = 4300;  ///< of an integer written as decimal text, as in Python
};

struct Pickle {
  Graph graph;
  NodeId root = kNoNode;
  std::uint64_t end = 0;  ///< position behind STOP, counted from the begin of the slice
  int protocol = 0;
};

/// Runs the pickle that begins at `begin` of `slice`: protocols 0 to 5. The graph views the slice's
/// bytes. Linear in the length of the pickle. Throws Error{corrupt} with opcode and offset for a
/// pickle that breaks a rule, Error{unsupported} for out-of-band buffers and unknown protocols,
/// Error{limit} past a limit.
Pickle run_pickle(const FileSlice& slice, std::uint64_t begin = 0, const Limits& limits = {});

/// True when `bytes` begin like a binary pickle (PROTO 2 to 5) and end with STOP. Cheap; proves
/// nothing.
bool looks_like_pickle(std::span<const std::byte> bytes) noexcept;

}  // namespace samestep::pickle
