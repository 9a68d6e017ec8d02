// Tables of enum names: one place for "value to name" and "name to value".
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace samestep {

/// Names of an enum whose values are 0 .. N-1, in that order.
template <typename Enum, std::size_t N>
struct Names {
  std::array<std::string_view, N> names;

  constexpr std::string_view of(Enum value) const noexcept {
    const auto index = static_cast<std::size_t>(value);
    return index < N ? names[index] : std::string_view("?");
  }
  constexpr std::optional<Enum> find(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < N; ++i) {
      if (names[i] == name) return static_cast<Enum>(i);
    }
    return std::nullopt;
  }
};

}  // namespace samestep
