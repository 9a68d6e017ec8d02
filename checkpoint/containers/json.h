// Json: JSON text inside a foreign checkpoint (safetensors headers, indexes, trainer states), as a
// tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/containers/file_slice.h"

namespace samestep {

/// strict: RFC 8259. python: also NaN, Infinity, -Infinity and lone surrogates, which Python's json
/// module writes.
enum class JsonDialect : std::uint8_t { strict, python };

/// One node. Members of an object keep the order of the file; their names are unique.
struct JsonNode {
  enum class Kind : std::uint8_t {
    null,
    boolean,
    integer,
    real,
    string,
    array,
    object
  } kind = Kind::null;
  bool boolean = false;
  double real = 0;
  std::string text;  ///< a string's value (UTF-8), or the digits of an integer as written
  std::vector<JsonNode> items;     ///< of an array, or the members' values of an object
  std::vector<std::string> names;  ///< of an object: names[i] belongs to items[i]

  /// Member `name` of an object; null when there is none or this is no object.
  const JsonNode* find(std::string_view name) const noexcept;
  /// An integer that fits, else nothing.
  std::optional<std::int64_t> as_int64() const noexcept;
  std::optional<std::uint64_t> as_uint64() const noexcept;
};

inline constexpr int kJsonDepthMax = 128;
inline constexpr std::size_t kJsonNodesMax = 2'000'000;

/// Parses the whole of `text`; white space around the value is allowed. Throws Error{corrupt} for
/// text that is not JSON, not UTF-8, or names a member twice, and Error{limit} past kJsonDepthMax
/// or kJsonNodesMax; with file and offset.
JsonNode parse_json(const FileSlice& text, JsonDialect dialect);

}  // namespace samestep
