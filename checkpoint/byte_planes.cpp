#include "checkpoint/byte_planes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "checkpoint/byte_lanes.h"

namespace samestep {
namespace {

using Bytes = Lanes;

Bytes interleave_low(Bytes a, Bytes b) noexcept {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

Bytes interleave_high(Bytes a, Bytes b) noexcept {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}

template <std::size_t kWidth>
struct NumberOf;
template <>
struct NumberOf<2> {
  using Type = std::uint16_t;
};
template <>
struct NumberOf<4> {
  using Type = std::uint32_t;
};
template <>
struct NumberOf<8> {
  using Type = std::uint64_t;
};

/// Each number of kWidth bytes, rotated by a bit: kLeft, or back.
template <std::size_t kWidth, bool kLeft>
[[gnu::always_inline]] inline Bytes turned(Bytes bytes) noexcept {
  using Number = typename NumberOf<kWidth>::Type;
  using Numbers __attribute__((vector_size(kLanes))) = Number;
  const auto numbers = reinterpret_cast<Numbers>(bytes);
  constexpr int kRest = 8 * kWidth - 1;
  const Numbers result = kLeft ? numbers << 1 | numbers >> kRest : numbers >> 1 | numbers << kRest;
  return reinterpret_cast<Bytes>(result);
}

template <std::size_t kWidth, bool kLeft>
void turn(const std::byte* source, std::byte* target) noexcept {
  typename NumberOf<kWidth>::Type number;
  std::memcpy(&number, source, kWidth);
  number = kLeft ? std::rotl(number, 1) : std::rotr(number, 1);
  std::memcpy(target, &number, kWidth);
}

// Interleaving the two halves of a block of kWidth * 16 bytes rotates the bits of each byte's index
// by one to the left. An element's number is 4 of those bits, so 4 rotations make planes of
// elements, and log2(kWidth) rotations make elements of planes.
template <int kTimes, std::size_t kWidth>
[[gnu::always_inline]] inline std::array<Bytes, kWidth> rotated(
    const std::array<Bytes, kWidth>& block) noexcept {
  if constexpr (kTimes == 0) {
    return block;
  } else {
    std::array<Bytes, kWidth> next;
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kWidth / 2; ++j) {
      next[2 * j] = interleave_low(block[j], block[j + kWidth / 2]);
      next[2 * j + 1] = interleave_high(block[j], block[j + kWidth / 2]);
    }
    return rotated<kTimes - 1>(next);
  }
}

template <std::size_t kWidth>
constexpr int kWidthBits = kWidth == 2   ? 1
                           : kWidth == 4 ? 2
                                         : 3;

template <std::size_t kWidth, bool kTurned>
void split(std::span<const std::byte> elements, std::span<std::byte> planes) noexcept {
  const std::size_t count = elements.size() / kWidth;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::array<Bytes, kWidth> block;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kWidth; ++j) {
      block[j] = load_lanes(elements.data() + i * kWidth + j * kLanes);
      if constexpr (kTurned) block[j] = turned<kWidth, true>(block[j]);
    }
    block = rotated<4>(block);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kWidth; ++k) store_lanes(block[k], planes.data() + k * count + i);
  }
  for (; i < count; ++i) {
    std::byte element[kWidth];
    std::memcpy(element, elements.data() + i * kWidth, kWidth);
    if constexpr (kTurned) turn<kWidth, true>(element, element);
    for (std::size_t k = 0; k < kWidth; ++k) planes[k * count + i] = element[k];
  }
}

template <std::size_t kWidth, bool kTurned>
void merge(std::span<const std::byte* const> planes, std::span<std::byte> elements) noexcept {
  const std::size_t count = elements.size() / kWidth;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::array<Bytes, kWidth> block;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kWidth; ++k) block[k] = load_lanes(planes[k] + i);
    block = rotated<kWidthBits<kWidth>>(block);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kWidth; ++j) {
      if constexpr (kTurned) block[j] = turned<kWidth, false>(block[j]);
      store_lanes(block[j], elements.data() + i * kWidth + j * kLanes);
    }
  }
  for (; i < count; ++i) {
    std::byte* const element = elements.data() + i * kWidth;
    for (std::size_t k = 0; k < kWidth; ++k) element[k] = planes[k][i];
    if constexpr (kTurned) turn<kWidth, false>(element, element);
  }
}

template <bool kTurned>
void split_any(std::span<const std::byte> elements, std::size_t element_bytes,
               std::span<std::byte> planes) noexcept {
  if (element_bytes == 2) return split<2, kTurned>(elements, planes);
  if (element_bytes == 4) return split<4, kTurned>(elements, planes);
  split<8, kTurned>(elements, planes);
}

template <bool kTurned>
void merge_any(std::span<const std::byte* const> planes, std::span<std::byte> elements) noexcept {
  if (planes.size() == 2) return merge<2, kTurned>(planes, elements);
  if (planes.size() == 4) return merge<4, kTurned>(planes, elements);
  merge<8, kTurned>(planes, elements);
}

// Eight numbers of 7 bits: pairs are moved together, then pairs of these, then both halves.
constexpr std::uint64_t kLow7 = 0x007F007F007F007F, kLow14 = 0x00003FFF00003FFF,
                        kLow28 = 0x000000000FFFFFFF;
constexpr std::size_t kPackedGroup = 8, kPackedBytes = 7;

std::uint64_t packed_8(std::uint64_t bytes) noexcept {
  bytes >>= 1;
  bytes = (bytes & kLow7) | (bytes >> 1 & kLow7 << 7);
  bytes = (bytes & kLow14) | (bytes >> 2 & kLow14 << 14);
  return (bytes & kLow28) | (bytes >> 4 & kLow28 << 28);
}

std::uint64_t unpacked_8(std::uint64_t bits) noexcept {
  bits = (bits & kLow28) | (bits << 4 & kLow28 << 32);
  bits = (bits & kLow14) | (bits << 2 & kLow14 << 16);
  bits = (bits & kLow7) | (bits << 1 & kLow7 << 8);
  return bits << 1;
}

}  // namespace

bool has_planes(std::size_t element_bytes) noexcept {
  return element_bytes == 2 || element_bytes == 4 || element_bytes == 8;
}

void split_planes(std::span<const std::byte> elements, std::size_t element_bytes, bool turned,
                  std::span<std::byte> planes) noexcept {
  if (turned) return split_any<true>(elements, element_bytes, planes);
  split_any<false>(elements, element_bytes, planes);
}

void merge_planes(std::span<const std::byte* const> planes, bool turned,
                  std::span<std::byte> elements) noexcept {
  if (turned) return merge_any<true>(planes, elements);
  merge_any<false>(planes, elements);
}

bool are_even(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t kLowest = 0x0101010101010101;
  constexpr std::size_t kBlock = 64;  // after each it is looked whether to go on
  std::size_t i = 0;
  for (; i + kBlock <= bytes.size(); i += kBlock) {
    std::uint64_t words[kBlock / 8];
    std::memcpy(words, bytes.data() + i, kBlock);
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    if ((any & kLowest) != 0) return false;
  }
  return std::ranges::all_of(bytes.subspan(i),
                             [](std::byte byte) { return (byte & std::byte{1}) == std::byte{0}; });
}

void pack_even(std::span<const std::byte> bytes, std::span<std::byte> packed) noexcept {
  std::byte* target = packed.data();
  for (std::size_t i = 0; i < bytes.size(); i += kPackedGroup, target += kPackedBytes) {
    std::uint64_t group = 0;
    std::memcpy(&group, bytes.data() + i, std::min(kPackedGroup, bytes.size() - i));
    group = packed_8(group);
    std::memcpy(target, &group, kPackedBytes);
  }
}

void unpack_even(std::span<const std::byte> packed, std::span<std::byte> bytes) noexcept {
  const std::byte* source = packed.data();
  for (std::size_t i = 0; i < bytes.size(); i += kPackedGroup, source += kPackedBytes) {
    std::uint64_t group = 0;
    std::memcpy(&group, source, kPackedBytes);
    group = unpacked_8(group);
    std::memcpy(bytes.data() + i, &group, std::min(kPackedGroup, bytes.size() - i));
  }
}

}  // namespace samestep
