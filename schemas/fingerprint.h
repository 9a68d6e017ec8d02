// Fingerprint: 128 bits that stand for the elements of a tensor wherever they lie, so that those of
// the parts of a sharded tensor add up to that of the whole. schemas/FINGERPRINT.md is the scheme.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace samestep {

/// A sum mod 2^128 over elements; no elements, 0. It does not hold dtype and shape: two tensors of
/// one dtype and shape are compared by it, others through bound() (checkpoint/fingerprint.h).
struct Fingerprint {
  std::uint64_t high = 0, low = 0;

  auto operator<=>(const Fingerprint&) const = default;
  /// Adds the elements of another part. An element that is in both counts twice.
  Fingerprint& operator+=(const Fingerprint& other) noexcept;
  /// Takes elements away that were added.
  Fingerprint& operator-=(const Fingerprint& other) noexcept;

  /// 32 lower-case hexadecimal digits, high half first.
  std::string hex() const;
  /// Throws Error{corrupt} unless `text` is 32 lower-case hexadecimal digits.
  static Fingerprint from_hex(std::string_view text);
};

inline Fingerprint operator+(Fingerprint a, const Fingerprint& b) noexcept { return a += b; }
inline Fingerprint operator-(Fingerprint a, const Fingerprint& b) noexcept { return a -= b; }

inline constexpr int kFingerprintVersion = 1;

}  // namespace samestep
