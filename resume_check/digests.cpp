#include "resume_check/digests.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "checkpoint/hasher_batch.h"
#include "resume_check/cancel.h"

namespace samestep {
namespace {

constexpr std::uint64_t kDistinctiveBytes = 16;
constexpr std::size_t kLookBytes = 4096;  // of each piece
constexpr std::size_t kPiecesBytesMax = 1 << 20;
constexpr std::uint64_t kBatchBytes = 1 << 30;  // between looks at a cancel
constexpr int kDistinctBytesMin = 6;            // small counters as int64 have mostly zero bytes

/// Counts the values of the first bytes of each piece until there are enough.
class Look {
 public:
  bool has_seen_enough() const noexcept {
    return distinct_ >= kDistinctBytesMin || looked_ >= kPiecesBytesMax;
  }

  void add(std::span<const std::byte> piece) noexcept {
    looked_ += piece.size();
    for (const auto byte : piece.first(std::min(piece.size(), kLookBytes))) {
      auto& mark = seen_[std::to_integer<std::size_t>(byte)];
      if (mark) continue;
      mark = true;
      if (++distinct_ >= kDistinctBytesMin) return;
    }
  }

  bool is_distinctive() const noexcept { return distinct_ >= kDistinctBytesMin; }

 private:
  std::array<bool, 256> seen_{};
  int distinct_ = 0;
  std::size_t looked_ = 0;
};

struct EnoughSeen {};

bool has_distinct_bytes(const FieldBytes& bytes) {
  Look look;
  if (const auto memory = bytes.contiguous(); !memory.empty()) {
    look.add(memory);
    return look.is_distinctive();
  }
  try {
    bytes.stream([&](std::span<const std::byte> piece) {
      look.add(piece);
      if (look.has_seen_enough()) throw EnoughSeen{};
    });
  } catch (const EnoughSeen&) {
  }
  return look.is_distinctive();
}

void compute_digests(std::span<StateEntry* const> entries) {
  throw_if_cancelled("digests");
  std::vector<DigestJob> jobs;
  jobs.reserve(entries.size());
  for (const StateEntry* entry : entries)
    jobs.push_back({{}, entry->bytes.get(), entry->field.dtype, entry->field.shape});
  const auto roots = roots_of(jobs);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i]->field.digest = roots[i];
    entries[i]->field.bytes = entries[i]->bytes->size();
  }
}

}  // namespace

void compute_digests(StateTree& tree) {
  std::vector<StateEntry*> batch;
  std::uint64_t bytes = 0;
  for (auto& entry : tree.entries()) {
    if (entry.field.digest || !entry.bytes || entry.field.kind == FieldKind::opaque) continue;
    batch.push_back(&entry);
    bytes += entry.bytes->size();
    if (bytes < kBatchBytes) continue;
    compute_digests(batch);
    batch.clear();
    bytes = 0;
  }
  compute_digests(batch);
}

bool is_distinctive(const StateEntry& entry) {
  if (entry.field.bytes < kDistinctiveBytes) return false;
  if (!entry.bytes) return entry.field.kind == FieldKind::tensor && entry.field.bytes >= 1024;
  return has_distinct_bytes(*entry.bytes);
}

}  // namespace samestep
