#include "schemas/hex.h"

#include <array>

namespace samestep {
namespace {

constexpr const char* kDigits = "0123456789abcdef";

// A table: which of two ranges a digit of a digest is in, no processor can foresee.
constexpr std::array<signed char, 256> kDigitValues = [] {
  std::array<signed char, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 16; ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<signed char>(i);
  return values;
}();

constexpr int digit_of(char c) noexcept { return kDigitValues[static_cast<unsigned char>(c)]; }

}  // namespace

std::string hex_of(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) text[i] = kDigits[number & 15u];
  return text;
}

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15u];
  }
  return text;
}

std::optional<std::uint64_t> number_from_hex(std::string_view text) noexcept {
  if (text.size() != 16) return std::nullopt;
  std::uint64_t number = 0;
  int all = 0;  // negative when one of them is
  for (const char c : text) {
    const int digit = digit_of(c);
    all |= digit;
    number = (number << 4) | (static_cast<unsigned>(digit) & 15u);
  }
  if (all < 0) return std::nullopt;
  return number;
}

std::optional<std::vector<std::byte>> bytes_from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit_of(text[i]), low = digit_of(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return bytes;
}

}  // namespace samestep
