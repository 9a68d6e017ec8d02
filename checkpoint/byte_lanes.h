// Sixteen bytes at a time, as vectors that the compiler has on every machine.
#pragma once

#include <cstddef>
#include <cstring>

namespace samestep {

inline constexpr std::size_t kLanes = 16;
using Lanes __attribute__((vector_size(kLanes))) = unsigned char;

inline Lanes load_lanes(const std::byte* source) noexcept {
  Lanes bytes;
  std::memcpy(&bytes, source, kLanes);
  return bytes;
}

inline void store_lanes(Lanes bytes, std::byte* target) noexcept {
  std::memcpy(target, &bytes, kLanes);
}

}  // namespace samestep
