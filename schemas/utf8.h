// UTF-8: where well-formed characters begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace samestep {

/// One decoded character: `bytes` is 0 when the text at that place is not well-formed UTF-8
/// (overlong forms, surrogates and values beyond U+10FFFF are not).
struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

/// The character that begins at `offset`, which must be below text.size().
Utf8Character utf8_at(std::string_view text, std::size_t offset) noexcept;
bool is_utf8(std::string_view text) noexcept;

}  // namespace samestep
