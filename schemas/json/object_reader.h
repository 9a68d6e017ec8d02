// ObjectReader: reads one JSON object strictly: each key once asked for, nothing else allowed. For
// schemas/json alone.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/json/node.h"

namespace samestep {

class ObjectReader {
 public:
  /// Throws Error{corrupt} when `node` is no object.
  explicit ObjectReader(JsonNode node);
  const JsonNode& node() const noexcept { return node_; }

  /// A key that must be there; one that may be absent (absent and null are different things).
  JsonNode get(std::string_view key);
  std::optional<JsonNode> find(std::string_view key);

  std::string string(std::string_view key) { return get(key).as_string(); }
  bool boolean(std::string_view key) { return get(key).as_bool(); }
  double number(std::string_view key) { return get(key).as_double(); }
  std::uint64_t count(std::string_view key) { return get(key).as_unsigned(); }
  /// An integer of at least `least`.
  std::int64_t integer(std::string_view key,
                       std::int64_t least = std::numeric_limits<std::int64_t>::min());
  /// The same in the range of int.
  int small(std::string_view key, int least = 0);
  std::vector<std::string> strings(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key);

  /// The key "schema" must be one of `names`; which one.
  std::size_t schema(std::initializer_list<const char*> names);
  void schema(const char* name);
  /// Throws Error{corrupt} for the first key that nobody asked for.
  void done() const;

 private:
  JsonNode node_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace samestep
