// Value: a field that is not a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace samestep {

/// Python's None.
struct None {
  bool operator==(const None&) const = default;
};
/// An integer beyond 64 bits: minimal little-endian two's complement bytes.
struct BigInt {
  std::vector<std::byte> bytes;
  bool operator==(const BigInt&) const = default;
};
using Bytes = std::vector<std::byte>;
/// A long list or tuple of numbers as one packed field: all int64, or else all double.
struct Numbers {
  std::variant<std::vector<std::int64_t>, std::vector<double>> values;
  bool operator==(const Numbers&) const = default;
};

/// str is UTF-8 (surrogates as WTF-8). Equality of double here is C++'s; compare canonical bytes
/// instead.
using Value = std::variant<None, bool, std::int64_t, BigInt, double, std::string, Bytes, Numbers>;

/// "none", "bool", "int", "float", "str", "bytes", "numbers" (BigInt is "int").
const char* kind_of(const Value& value) noexcept;
/// Short text for a person: 0.001, true, "gpt2", 625 numbers, 5056 bytes. At most about 80
/// characters.
std::string display(const Value& value);
/// Shortest text that reads back as the same double, always with a '.' or an exponent; "nan",
/// "-nan", "inf", "-inf".
std::string float_text(double number);
/// Exact decimal text of an integer value (hexadecimal with "0x" beyond 4096 bytes); throws
/// CheckFailure for another kind.
std::string decimal(const Value& value);

}  // namespace samestep
