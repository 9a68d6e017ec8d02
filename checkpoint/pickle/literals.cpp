#include "checkpoint/pickle/literals.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <vector>

#include "checkpoint/containers/utf8.h"

namespace samestep::pickle {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

std::optional<std::uint32_t> parse_hex(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// Magnitude of decimal digits, little-endian. Quadratic: callers bound the number of digits.
std::vector<std::uint8_t> magnitude_of(std::string_view digits) {
  std::vector<std::uint8_t> bytes;
  for (const char digit : digits) {
    unsigned carry = static_cast<unsigned>(digit - '0');
    for (std::uint8_t& byte : bytes) {
      carry += 10u * byte;
      byte = static_cast<std::uint8_t>(carry & 0xFF);
      carry >>= 8;
    }
    if (carry != 0) bytes.push_back(static_cast<std::uint8_t>(carry));
  }
  bytes.push_back(0);
  return bytes;
}

void negate(std::vector<std::uint8_t>& bytes) {
  unsigned carry = 1;
  for (std::uint8_t& byte : bytes) {
    carry += static_cast<std::uint8_t>(~byte);
    byte = static_cast<std::uint8_t>(carry & 0xFF);
    carry >>= 8;
  }
}

/// Length without bytes that only repeat the sign.
std::size_t minimal_length(std::span<const std::byte> bytes) {
  std::size_t length = bytes.size();
  while (length > 1) {
    const auto last = std::to_integer<unsigned>(bytes[length - 1]);
    const bool negative = (std::to_integer<unsigned>(bytes[length - 2]) & 0x80) != 0;
    if (last != (negative ? 0xFFu : 0u)) break;
    --length;
  }
  return length;
}

/// One escape of a Python 2 string; `at` stands behind the backslash and moves behind the escape.
bool append_escape(std::string& text, std::string_view body, std::size_t& at) {
  constexpr std::string_view kFrom = "\\'\"abfnrtv", kTo = "\\'\"\a\b\f\n\r\t\v";
  const char code = body[at];
  if (const std::size_t simple = kFrom.find(code); simple != std::string_view::npos) {
    text.push_back(kTo[simple]);
    ++at;
  } else if (code == 'x') {
    const auto value = at + 2 < body.size() ? parse_hex(body.substr(at + 1, 2)) : std::nullopt;
    if (!value) return false;
    text.push_back(static_cast<char>(*value));
    at += 3;
  } else if (code >= '0' && code <= '7') {
    unsigned value = 0;
    for (int i = 0; i < 3 && at < body.size() && body[at] >= '0' && body[at] <= '7'; ++i, ++at) {
      value = value * 8 + static_cast<unsigned>(body[at] - '0');
    }
    text.push_back(static_cast<char>(value));
  } else {
    text.push_back('\\');
  }
  return true;
}

}  // namespace

NodeId add_long(Graph& graph, std::span<const std::byte> bytes) {
  const auto minimal = bytes.first(minimal_length(bytes));
  if (minimal.size() > 8) {
    return graph.add_view(Kind::big_integer,
                          {reinterpret_cast<const char*>(minimal.data()), minimal.size()});
  }
  const bool negative = !minimal.empty() && (std::to_integer<unsigned>(minimal.back()) & 0x80) != 0;
  std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = minimal.size(); i-- > 0;) {
    value = (value << 8) | std::to_integer<std::uint64_t>(minimal[i]);
  }
  return graph.add_integer(static_cast<std::int64_t>(value));
}

std::optional<NodeId> add_decimal(Graph& graph, std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<std::uint8_t> bytes = magnitude_of(text);
  if (negative) negate(bytes);
  const std::span<const std::byte> all = std::as_bytes(std::span<const std::uint8_t>(bytes));
  const auto minimal = all.first(minimal_length(all));
  if (minimal.size() <= 8) return add_long(graph, minimal);
  return graph.add_copy(Kind::big_integer,
                        std::string(reinterpret_cast<const char*>(minimal.data()), minimal.size()));
}

std::optional<double> parse_real(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool tiny =
        text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    const double magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -magnitude : magnitude;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

bool is_wtf8(std::string_view text) noexcept {
  while (true) {
    const std::size_t bad = first_invalid_utf8(text);
    if (bad == std::string_view::npos) return true;
    text.remove_prefix(bad);
    const bool surrogate = text.size() >= 3 && byte_at(text, 0) == 0xED &&
                           (byte_at(text, 1) & 0xE0) == 0xA0 && (byte_at(text, 2) & 0xC0) == 0x80;
    if (!surrogate) return false;
    text.remove_prefix(3);
  }
}

std::optional<std::string> unescape_string(std::string_view quoted) {
  const bool matched =
      quoted.size() >= 2 && (quoted[0] == '\'' || quoted[0] == '"') && quoted.back() == quoted[0];
  if (!matched) return std::nullopt;
  const std::string_view body = quoted.substr(1, quoted.size() - 2);
  std::string text;
  for (std::size_t at = 0; at < body.size();) {
    if (body[at] != '\\') {
      text.push_back(body[at++]);
    } else if (++at >= body.size() || !append_escape(text, body, at)) {
      return std::nullopt;
    }
  }
  return text;
}

std::optional<std::string> unescape_unicode(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool escape =
        text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == 'u' || text[at + 1] == 'U');
    if (!escape) {
      append_utf8(result, byte_at(text, at++));
      continue;
    }
    const std::size_t digits = text[at + 1] == 'u' ? 4 : 8;
    if (text.size() - at - 2 < digits) return std::nullopt;
    const auto code = parse_hex(text.substr(at + 2, digits));
    if (!code || *code > 0x10FFFF) return std::nullopt;
    append_utf8(result, *code);
    at += 2 + digits;
  }
  return result;
}

std::optional<std::string> latin1_bytes(std::string_view utf8) {
  std::string bytes;
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    const unsigned first = byte_at(utf8, at);
    if (first < 0x80) {
      bytes.push_back(static_cast<char>(first));
      continue;
    }
    if ((first != 0xC2 && first != 0xC3) || at + 1 >= utf8.size()) return std::nullopt;
    bytes.push_back(static_cast<char>(((first & 0x03) << 6) | (byte_at(utf8, ++at) & 0x3F)));
  }
  return bytes;
}

}  // namespace samestep::pickle
