// Dtype: the element types of tensors that samestep knows, with PyTorch's names and sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace samestep {

/// Values are pinned (digest scheme, captures). Names are PyTorch's without "torch.".
enum class Dtype : std::uint8_t {
  none = 0,     ///< not a tensor
  boolean = 1,  ///< "bool"
  uint8 = 2,
  int8 = 3,
  int16 = 4,
  int32 = 5,
  int64 = 6,
  uint16 = 7,
  uint32 = 8,
  uint64 = 9,
  float16 = 10,
  bfloat16 = 11,
  float32 = 12,
  float64 = 13,
  complex32 = 14,
  complex64 = 15,
  complex128 = 16,
  float8_e4m3fn = 17,
  float8_e5m2 = 18,
  float8_e4m3fnuz = 19,
  float8_e5m2fnuz = 20,
  float8_e8m0fnu = 21,
  float4_e2m1fn_x2 = 22,
  qint8 = 23,
  quint8 = 24,
  qint32 = 25,
  quint4x2 = 26,
  quint2x4 = 27,
  bits8 = 28,  ///< opaque bytes (torch.bits8 and its kin)
  text = 29,   ///< NumPy "<U"/"S"/"O"-like or structured element, `element_bytes` beside it
};

/// Bytes of one element; 0 for none and text.
std::uint32_t element_bytes(Dtype dtype) noexcept;
std::string_view to_string(Dtype dtype) noexcept;
/// By PyTorch's name, with or without "torch."; nothing for an unknown name.
std::optional<Dtype> dtype_from(std::string_view name) noexcept;
/// float*, bfloat16 and complex*: values for which a ULP distance or a cast has a meaning.
bool is_floating(Dtype dtype) noexcept;

}  // namespace samestep
