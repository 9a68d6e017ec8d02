#include "checkpoint/byte_planes.h"

#include <array>
#include <cstring>

namespace samestep {
namespace {

constexpr std::size_t kLanes = 16;
typedef unsigned char Bytes __attribute__((vector_size(kLanes)));

Bytes load(const std::byte* source) noexcept {
  Bytes bytes;
  std::memcpy(&bytes, source, kLanes);
  return bytes;
}

void store(Bytes bytes, std::byte* target) noexcept { std::memcpy(target, &bytes, kLanes); }

Bytes interleave_low(Bytes a, Bytes b) noexcept {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

Bytes interleave_high(Bytes a, Bytes b) noexcept {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}

// Interleaving the two halves of a block of kWidth * 16 bytes rotates the bits of each byte's index
// by one to the left. An element's number is 4 of those bits, so 4 rotations make planes of
// elements, and log2(kWidth) rotations make elements of planes.
template <int kTimes, std::size_t kWidth>
std::array<Bytes, kWidth> rotated(const std::array<Bytes, kWidth>& block) noexcept {
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

template <std::size_t kWidth>
void split(std::span<const std::byte> elements, std::span<std::byte> planes) noexcept {
  const std::size_t count = elements.size() / kWidth;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::array<Bytes, kWidth> block;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kWidth; ++j)
      block[j] = load(elements.data() + i * kWidth + j * kLanes);
    block = rotated<4>(block);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kWidth; ++k) store(block[k], planes.data() + k * count + i);
  }
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < kWidth; ++k) planes[k * count + i] = elements[i * kWidth + k];
  }
}

template <std::size_t kWidth>
void merge(std::span<const std::byte* const> planes, std::span<std::byte> elements) noexcept {
  const std::size_t count = elements.size() / kWidth;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::array<Bytes, kWidth> block;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < kWidth; ++k) block[k] = load(planes[k] + i);
    block = rotated<kWidthBits<kWidth>>(block);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kWidth; ++j)
      store(block[j], elements.data() + i * kWidth + j * kLanes);
  }
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < kWidth; ++k) elements[i * kWidth + k] = planes[k][i];
  }
}

}  // namespace

bool has_planes(std::size_t element_bytes) noexcept {
  return element_bytes == 2 || element_bytes == 4 || element_bytes == 8;
}

void split_planes(std::span<const std::byte> elements, std::size_t element_bytes,
                  std::span<std::byte> planes) noexcept {
  if (element_bytes == 2) return split<2>(elements, planes);
  if (element_bytes == 4) return split<4>(elements, planes);
  split<8>(elements, planes);
}

void merge_planes(std::span<const std::byte* const> planes,
                  std::span<std::byte> elements) noexcept {
  if (planes.size() == 2) return merge<2>(planes, elements);
  if (planes.size() == 4) return merge<4>(planes, elements);
  merge<8>(planes, elements);
}

}  // namespace samestep
