// UTF-8: checking and writing code points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace samestep {

/// Offset of the first byte that is not well-formed UTF-8 (surrogates and overlong forms are not);
/// npos when all is.
std::size_t first_invalid_utf8(std::string_view text) noexcept;

/// Appends `code` (at most 0x10FFFF; a surrogate is written as WTF-8).
void append_utf8(std::string& text, std::uint32_t code);

}  // namespace samestep
