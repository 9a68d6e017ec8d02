#include "capture/torch/scalar_type.h"

#include <array>

namespace samestep::libtorch {
namespace {

struct Pair {
  c10::ScalarType type;
  Dtype dtype;
};

using c10::ScalarType;

constexpr std::array kPairs{
    Pair{ScalarType::Bool, Dtype::boolean},
    Pair{ScalarType::Byte, Dtype::uint8},
    Pair{ScalarType::Char, Dtype::int8},
    Pair{ScalarType::Short, Dtype::int16},
    Pair{ScalarType::Int, Dtype::int32},
    Pair{ScalarType::Long, Dtype::int64},
    Pair{ScalarType::UInt16, Dtype::uint16},
    Pair{ScalarType::UInt32, Dtype::uint32},
    Pair{ScalarType::UInt64, Dtype::uint64},
    Pair{ScalarType::Half, Dtype::float16},
    Pair{ScalarType::BFloat16, Dtype::bfloat16},
    Pair{ScalarType::Float, Dtype::float32},
    Pair{ScalarType::Double, Dtype::float64},
    Pair{ScalarType::ComplexHalf, Dtype::complex32},
    Pair{ScalarType::ComplexFloat, Dtype::complex64},
    Pair{ScalarType::ComplexDouble, Dtype::complex128},
    Pair{ScalarType::Float8_e4m3fn, Dtype::float8_e4m3fn},
    Pair{ScalarType::Float8_e5m2, Dtype::float8_e5m2},
    Pair{ScalarType::Float8_e4m3fnuz, Dtype::float8_e4m3fnuz},
    Pair{ScalarType::Float8_e5m2fnuz, Dtype::float8_e5m2fnuz},
    Pair{ScalarType::Float8_e8m0fnu, Dtype::float8_e8m0fnu},
    Pair{ScalarType::Float4_e2m1fn_x2, Dtype::float4_e2m1fn_x2},
};

}  // namespace

std::optional<Dtype> dtype_of(c10::ScalarType type) noexcept {
  for (const Pair& pair : kPairs)
    if (pair.type == type) return pair.dtype;
  return std::nullopt;
}

std::optional<c10::ScalarType> scalar_type_of(Dtype dtype) noexcept {
  for (const Pair& pair : kPairs)
    if (pair.dtype == dtype) return pair.type;
  return std::nullopt;
}

}  // namespace samestep::libtorch
