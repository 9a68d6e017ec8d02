#include "schemas/json/object_reader.h"

#include <algorithm>

#include "schemas/error.h"

namespace samestep {

ObjectReader::ObjectReader(JsonNode node) : node_(std::move(node)) {
  if (!node_.is_object()) node_.at("");  // says what it found instead
}

JsonNode ObjectReader::get(std::string_view key) {
  asked_.emplace(key);
  return node_.at(key);
}

std::optional<JsonNode> ObjectReader::find(std::string_view key) {
  asked_.emplace(key);
  return node_.find(key);
}

std::int64_t ObjectReader::integer(std::string_view key, std::int64_t least) {
  const JsonNode node = get(key);
  const std::int64_t number = node.as_int();
  if (number < least) node.fail("expected at least " + std::to_string(least));
  return number;
}

int ObjectReader::small(std::string_view key, int least) {
  const std::int64_t number = integer(key, least);
  if (number > std::numeric_limits<int>::max()) get(key).fail("the number is too large");
  return static_cast<int>(number);
}

std::vector<std::string> ObjectReader::strings(std::string_view key) {
  std::vector<std::string> list;
  for (const JsonNode& node : get(key).elements()) list.push_back(node.as_string());
  return list;
}

std::vector<std::int64_t> ObjectReader::integers(std::string_view key) {
  std::vector<std::int64_t> list;
  for (const JsonNode& node : get(key).elements()) list.push_back(node.as_int());
  return list;
}

std::size_t ObjectReader::schema(std::initializer_list<const char*> names) {
  const JsonNode node = get("schema");
  const auto found = std::ranges::find(names, node.as_string());
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string list;
  for (const char* name : names) list += (list.empty() ? "" : " or ") + std::string(name);
  node.fail("schema \"" + printable(node.as_string(), 60) + "\" is not " + list,
            "use the version of samestep that wrote it");
}

void ObjectReader::schema(const char* name) { schema({name}); }

void ObjectReader::done() const {
  for (const JsonNode& member : node_.items()) {
    if (asked_.find(member.key()) == asked_.end()) member.fail("unknown key");
  }
}

}  // namespace samestep
