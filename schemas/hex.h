// Hexadecimal text of bytes and of 64-bit numbers, lower case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace samestep {

/// 16 digits.
std::string hex_of(std::uint64_t number);
/// Two digits a byte.
std::string hex_of(std::span<const std::byte> bytes);
/// Of exactly 16 lower-case digits; nothing for anything else.
std::optional<std::uint64_t> number_from_hex(std::string_view text) noexcept;
/// Of an even number of lower-case digits; nothing for anything else.
std::optional<std::vector<std::byte>> bytes_from_hex(std::string_view text);

}  // namespace samestep
