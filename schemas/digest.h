// Digest: 128 bits that stand for the canonical bytes of a field. schemas/DIGEST.md is the scheme
// in prose.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace samestep {

struct Digest {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const Digest&) const = default;
  /// 32 lower-case hexadecimal digits, high half first.
  std::string hex() const;
  /// Throws Error{corrupt} unless `text` is 32 lower-case hexadecimal digits.
  static Digest from_hex(std::string_view text);
};

struct DigestHash {
  std::size_t operator()(const Digest& d) const noexcept {
    return static_cast<std::size_t>(d.low ^ (d.high * 0x9E3779B97F4A7C15u));
  }
};

/// Digests of the chunks of a field (64 KiB each, the last one shorter) and their root.
/// The root is what Field::digest holds; the chunks locate a difference without the other side's
/// data.
struct DigestTree {
  Digest root;
  std::vector<Digest> chunks;
  std::uint64_t bytes = 0;
};

inline constexpr std::uint32_t kChunkBytes = 64 * 1024;
inline constexpr int kDigestVersion = 1;

}  // namespace samestep
