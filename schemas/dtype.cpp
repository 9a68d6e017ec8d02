#include "schemas/dtype.h"

#include <array>
#include <cstddef>

namespace samestep {
namespace {

struct Row {
  std::string_view name;
  std::uint32_t bytes;
};

// In the order of the pinned values.
constexpr std::array<Row, 30> kRows{{{"none", 0},
                                     {"bool", 1},
                                     {"uint8", 1},
                                     {"int8", 1},
                                     {"int16", 2},
                                     {"int32", 4},
                                     {"int64", 8},
                                     {"uint16", 2},
                                     {"uint32", 4},
                                     {"uint64", 8},
                                     {"float16", 2},
                                     {"bfloat16", 2},
                                     {"float32", 4},
                                     {"float64", 8},
                                     {"complex32", 4},
                                     {"complex64", 8},
                                     {"complex128", 16},
                                     {"float8_e4m3fn", 1},
                                     {"float8_e5m2", 1},
                                     {"float8_e4m3fnuz", 1},
                                     {"float8_e5m2fnuz", 1},
                                     {"float8_e8m0fnu", 1},
                                     {"float4_e2m1fn_x2", 1},
                                     {"qint8", 1},
                                     {"quint8", 1},
                                     {"qint32", 4},
                                     {"quint4x2", 1},
                                     {"quint2x4", 1},
                                     {"bits8", 1},
                                     {"text", 0}}};

}  // namespace

std::uint32_t element_bytes(Dtype dtype) noexcept {
  const auto index = static_cast<std::size_t>(dtype);
  return index < kRows.size() ? kRows[index].bytes : 0;
}

std::string_view to_string(Dtype dtype) noexcept {
  const auto index = static_cast<std::size_t>(dtype);
  return index < kRows.size() ? kRows[index].name : "?";
}

std::optional<Dtype> dtype_from(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "torch.";
  if (name.substr(0, kPrefix.size()) == kPrefix) name.remove_prefix(kPrefix.size());
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

bool is_floating(Dtype dtype) noexcept {
  return dtype >= Dtype::float16 && dtype <= Dtype::float4_e2m1fn_x2;
}

}  // namespace samestep
