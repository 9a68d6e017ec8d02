#include "schemas/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "schemas/check.h"
#include "schemas/count_text.h"
#include "schemas/error.h"
#include "schemas/hex.h"

namespace samestep {
namespace {

// Decimal text costs quadratic time; beyond this an integer is written in hexadecimal.
constexpr std::size_t kDecimalBytesMax = 4096;
constexpr std::size_t kDisplayBytesMax = 72;

bool is_negative(const BigInt& number) {
  return !number.bytes.empty() && (number.bytes.back() & std::byte{0x80}) != std::byte{0};
}

// Absolute value as little-endian bytes.
std::vector<std::byte> magnitude(const BigInt& number) {
  std::vector<std::byte> bytes = number.bytes;
  if (!is_negative(number)) return bytes;
  unsigned carry = 1;
  for (std::byte& byte : bytes) {
    const unsigned sum = (~std::to_integer<unsigned>(byte) & 0xFFu) + carry;
    byte = static_cast<std::byte>(sum & 0xFFu);
    carry = sum >> 8;
  }
  return bytes;
}

std::string decimal_of(const BigInt& number) {
  std::vector<std::byte> bytes = magnitude(number);
  const std::string sign = is_negative(number) ? "-" : "";
  if (bytes.size() > kDecimalBytesMax) {
    std::reverse(bytes.begin(), bytes.end());
    return sign + "0x" + hex_of(std::span<const std::byte>(bytes));
  }
  constexpr std::uint32_t kBase = 1'000'000'000;
  std::vector<std::uint32_t> limbs{0};  // base 10^9, least significant first
  for (std::size_t i = bytes.size(); i-- > 0;) {
    std::uint64_t carry = std::to_integer<std::uint64_t>(bytes[i]);
    for (std::uint32_t& limb : limbs) {
      carry += static_cast<std::uint64_t>(limb) << 8;
      limb = static_cast<std::uint32_t>(carry % kBase);
      carry /= kBase;
    }
    if (carry != 0) limbs.push_back(static_cast<std::uint32_t>(carry));
  }
  std::string text = sign + std::to_string(limbs.back());
  for (std::size_t i = limbs.size() - 1; i-- > 0;) {
    const std::string digits = std::to_string(limbs[i]);
    text += std::string(9 - digits.size(), '0') + digits;
  }
  return text;
}

template <typename Number>
std::string list_text(const std::vector<Number>& numbers) {
  if (numbers.size() > 4) return count_text(numbers.size(), "number");
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += (i == 0 ? "" : ", ") + display(Value(numbers[i]));
  }
  return text + "]";
}

struct Display {
  std::string operator()(const None&) const { return "None"; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(const BigInt& number) const {
    if (number.bytes.size() > 24) return "integer of " + count_text(number.bytes.size(), "byte");
    return decimal_of(number);
  }
  std::string operator()(double number) const { return float_text(number); }
  std::string operator()(const std::string& text) const {
    return "\"" + printable(text, kDisplayBytesMax) + "\"";
  }
  std::string operator()(const Bytes& bytes) const { return count_text(bytes.size(), "byte"); }
  std::string operator()(const Numbers& numbers) const {
    return std::visit([](const auto& list) { return list_text(list); }, numbers.values);
  }
};

}  // namespace

const char* kind_of(const Value& value) noexcept {
  constexpr std::array<const char*, 8> kKinds{"none",  "bool", "int",   "int",
                                              "float", "str",  "bytes", "numbers"};
  return value.valueless_by_exception() ? "none" : kKinds[value.index()];
}

std::string float_text(double number) {
  if (std::isnan(number)) return std::signbit(number) ? "-nan" : "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string display(const Value& value) { return std::visit(Display{}, value); }

std::string decimal(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  const auto* number = std::get_if<BigInt>(&value);
  SAMESTEP_CHECK(number != nullptr);
  return decimal_of(*number);
}

}  // namespace samestep
