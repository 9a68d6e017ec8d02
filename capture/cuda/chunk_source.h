// Where a device finds the bytes of a tensor: in one piece at any alignment, or an element at a
// time.
#pragma once

#include <string.h>

#include "capture/cuda/xxh3_lanes.h"

namespace samestep {

inline constexpr unsigned kDeviceDimensionsMax = 8;

/// A tensor in the memory of a device, as its kernels see it. `stride` is in bytes.
struct DeviceTensor {
  const unsigned char* base;
  uint64_t bytes;        ///< canonical
  uint64_t first_word;   ///< index, in the whole tensor, of its first word (schemas/FINGERPRINT.md)
  uint64_t first_chunk;  ///< among the chunks of all tensors
  uint32_t item;         ///< bytes of an element: 1, 2, 4, 8 or 16
  uint32_t dimensions;   ///< 0 when it lies in one piece
  int64_t size[kDeviceDimensionsMax], stride[kDeviceDimensionsMax];
};

/// 8 bytes at any address, by the largest loads that its alignment allows.
SAMESTEP_HOST_DEVICE_APART uint64_t load_word(const unsigned char* at) {
#ifdef __CUDA_ARCH__
  const auto address = reinterpret_cast<uintptr_t>(at);
  if (address % 8 == 0) return *reinterpret_cast<const uint64_t*>(at);
  if (address % 4 == 0) {
    const auto* halves = reinterpret_cast<const uint32_t*>(at);
    return halves[0] | static_cast<uint64_t>(halves[1]) << 32;
  }
  uint64_t value = 0;
#pragma unroll 1
  for (unsigned i = 0; i < 8; ++i) value |= static_cast<uint64_t>(at[i]) << (8 * i);
  return value;
#else
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
#endif
}

/// Bytes in one piece, from `at` on.
class PlainSource {
 public:
  static constexpr bool kFast = false;
  SAMESTEP_MEMBER explicit PlainSource(const unsigned char* at) : at_(at) {}

  SAMESTEP_MEMBER unsigned char byte(uint64_t offset) const { return at_[offset]; }
  SAMESTEP_MEMBER uint64_t word(uint64_t offset) const { return load_word(at_ + offset); }
  SAMESTEP_MEMBER xxh3::Pair pair(uint64_t offset) const {
    return {word(offset), word(offset + 8)};
  }
  /// The source for what begins at any offset and is read once.
  SAMESTEP_MEMBER const PlainSource& anywhere() const { return *this; }

 protected:
  const unsigned char* at_;
};

/// The same where `at` is a multiple of 16, as is the offset of each pair: one load for a pair.
class AlignedSource : public PlainSource {
 public:
  static constexpr bool kFast = true;
  SAMESTEP_MEMBER explicit AlignedSource(const unsigned char* at) : PlainSource(at) {}

  SAMESTEP_MEMBER xxh3::Pair pair(uint64_t offset) const {
#ifdef __CUDA_ARCH__
    const ulonglong2 both = *reinterpret_cast<const ulonglong2*>(at_ + offset);
    return {both.x, both.y};
#else
    return PlainSource::pair(offset);
#endif
  }
};

/// The byte of a strided tensor at canonical byte `at`.
SAMESTEP_HOST_DEVICE_APART unsigned char strided_byte(const DeviceTensor& tensor, uint64_t at) {
  uint64_t element = at / tensor.item;
  const unsigned char* address = tensor.base + at % tensor.item;
  for (unsigned i = tensor.dimensions; i-- > 0;) {
    const auto size = static_cast<uint64_t>(tensor.size[i]);
    address += static_cast<int64_t>(element % size) * tensor.stride[i];
    element /= size;
  }
  return *address;
}

/// Elements with any strides, from canonical byte `first` on. Right, not fast.
class StridedSource {
 public:
  static constexpr bool kFast = false;
  SAMESTEP_MEMBER StridedSource(const DeviceTensor& tensor, uint64_t first)
      : tensor_(tensor), first_(first) {}

  SAMESTEP_MEMBER unsigned char byte(uint64_t offset) const {
    return strided_byte(tensor_, first_ + offset);
  }
  SAMESTEP_MEMBER uint64_t word(uint64_t offset) const {
    uint64_t value = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (unsigned i = 0; i < 8; ++i) value |= static_cast<uint64_t>(byte(offset + i)) << (8 * i);
    return value;
  }
  SAMESTEP_MEMBER xxh3::Pair pair(uint64_t offset) const {
    return {word(offset), word(offset + 8)};
  }
  SAMESTEP_MEMBER const StridedSource& anywhere() const { return *this; }

 private:
  const DeviceTensor& tensor_;
  uint64_t first_;
};

}  // namespace samestep
