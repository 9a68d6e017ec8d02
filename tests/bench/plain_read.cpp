#include "plain_read.h"

#include <atomic>
#include <cstring>
#include <vector>

#include "checkpoint/crew.h"

namespace samestep::bench {
namespace {

constexpr std::size_t kPiece = 512 << 10;
constexpr std::size_t kStep = 256;
using Vector [[gnu::vector_size(32), gnu::aligned(1), gnu::may_alias]] = std::uint64_t;

#ifdef __x86_64__
[[gnu::target("avx2")]]
#endif
std::uint64_t
folded(const std::byte* bytes, std::size_t size, std::size_t ahead) {
  Vector sums[8] = {};
  for (std::size_t at = 0; at + kStep <= size; at += kStep) {
    if (ahead > 0) {
      for (std::size_t line = 0; line < kStep; line += 64)
        __builtin_prefetch(bytes + at + ahead + line);
    }
    const auto* vectors = reinterpret_cast<const Vector*>(bytes + at);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) sums[i] ^= vectors[i];
  }
  Vector all = sums[0];
  for (int i = 1; i < 8; ++i) all ^= sums[i];
  return all[0] ^ all[1] ^ all[2] ^ all[3];
}

}  // namespace

std::uint64_t plain_read(std::span<const std::span<const std::byte>> pieces, std::size_t ahead) {
  std::vector<std::span<const std::byte>> parts;
  for (const auto& piece : pieces) {
    for (std::size_t at = 0; at < piece.size(); at += kPiece)
      parts.push_back(piece.subspan(at, std::min(kPiece, piece.size() - at)));
  }
  std::atomic<std::uint64_t> all{0};
  share_work(parts.size(), threads_to_use(),
             [&](std::size_t i) { all ^= folded(parts[i].data(), parts[i].size(), ahead); });
  return all;
}

}  // namespace samestep::bench
