#include "resume_check/digests.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "checkpoint/hasher.h"
#include "resume_check/cancel.h"

namespace samestep {
namespace {

constexpr std::uint64_t kDistinctiveBytes = 16;
constexpr std::size_t kLookBytes = 4096;
constexpr int kDistinctBytesMin = 6;  // small counters as int64 have mostly zero bytes

struct EnoughSeen {};

int distinct_bytes(const FieldBytes& bytes) {
  std::array<bool, 256> seen{};
  int distinct = 0;
  std::size_t looked = 0;
  try {
    bytes.stream([&](std::span<const std::byte> piece) {
      for (const auto byte : piece.first(std::min(piece.size(), kLookBytes))) {
        auto& mark = seen[std::to_integer<std::size_t>(byte)];
        distinct += !mark;
        mark = true;
      }
      looked += piece.size();
      if (distinct >= kDistinctBytesMin || looked >= (1u << 20)) throw EnoughSeen{};
    });
  } catch (const EnoughSeen&) {
  }
  return distinct;
}

}  // namespace

void compute_digests(StateTree& tree) {
  for (auto& entry : tree.entries()) {
    throw_if_cancelled("digests");
    if (entry.field.digest || !entry.bytes || entry.field.kind == FieldKind::opaque) continue;
    entry.field.digest = digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root;
    entry.field.bytes = entry.bytes->size();
  }
}

bool is_distinctive(const StateEntry& entry) {
  if (entry.field.bytes < kDistinctiveBytes) return false;
  if (!entry.bytes) return entry.field.kind == FieldKind::tensor && entry.field.bytes >= 1024;
  return distinct_bytes(*entry.bytes) >= kDistinctBytesMin;
}

}  // namespace samestep
