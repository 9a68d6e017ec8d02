// Literals: numbers and strings as pickles write them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "checkpoint/pickle/graph.h"

namespace samestep::pickle {

/// Adds the integer whose little-endian two's complement is `bytes` (any length; none is 0).
NodeId add_long(Graph& graph, std::span<const std::byte> bytes);
/// Adds the integer that decimal `text` ("-12", "+7") says; nothing when it is none.
std::optional<NodeId> add_decimal(Graph& graph, std::string_view text);
/// A number as Python's float() reads it ("1.5e3", "nan", "-inf"); nothing when it is none.
std::optional<double> parse_real(std::string_view text);
/// UTF-8 in which lone surrogates are allowed, as Python's "surrogatepass" writes them.
bool is_wtf8(std::string_view text) noexcept;
/// The inside of a quoted, backslash-escaped Python 2 string with its quotes; nothing when the
/// quotes do not match.
std::optional<std::string> unescape_string(std::string_view quoted);
/// Python's raw-unicode-escape (\uXXXX, \UXXXXXXXX, the rest Latin-1) as WTF-8; nothing for a bad
/// escape.
std::optional<std::string> unescape_unicode(std::string_view text);
/// Latin-1 bytes of `utf8`; nothing when a character lies past U+00FF. Python 2 and numpy write
/// bytes this way.
std::optional<std::string> latin1_bytes(std::string_view utf8);

}  // namespace samestep::pickle
