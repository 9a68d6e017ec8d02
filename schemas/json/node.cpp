#include "schemas/json/node.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "schemas/error.h"
#include "schemas/json/document.h"

namespace samestep {
namespace {

template <typename Integer>
std::optional<Integer> integer_from(const std::string& digits) {
  Integer number{};
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (end.ec != std::errc() || end.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::string pointer_part(std::string_view key) {
  std::string part = "/";
  for (const char c : key) {
    if (c == '~') {
      part += "~0";
    } else if (c == '/') {
      part += "~1";
    } else {
      part += c;
    }
  }
  return part;
}

}  // namespace

const char* to_string(JsonNode::Kind kind) noexcept {
  switch (kind) {
    case JsonNode::Kind::null:
      return "null";
    case JsonNode::Kind::boolean:
      return "a boolean";
    case JsonNode::Kind::integer:
      return "an integer";
    case JsonNode::Kind::floating:
      return "a fractional number";
    case JsonNode::Kind::string:
      return "a string";
    case JsonNode::Kind::array:
      return "an array";
    case JsonNode::Kind::object:
      return "an object";
  }
  return "?";
}

JsonNode::JsonNode(std::shared_ptr<const Document> document, const Data* data)
    : document_(std::move(document)), data_(data) {}

JsonNode::Kind JsonNode::kind() const noexcept { return data_->kind; }

bool JsonNode::as_bool() const {
  if (kind() != Kind::boolean) fail_kind("a boolean");
  return data_->boolean;
}

std::int64_t JsonNode::as_int() const {
  if (kind() != Kind::integer) fail_kind("an integer");
  if (const auto number = integer_from<std::int64_t>(data_->text)) return *number;
  fail("integer " + printable(data_->text, 40) + " does not fit in 64 bits");
}

std::uint64_t JsonNode::as_unsigned() const {
  if (kind() != Kind::integer) fail_kind("an integer");
  if (const auto number = integer_from<std::uint64_t>(data_->text)) return *number;
  fail("integer " + printable(data_->text, 40) + " is negative or does not fit in 64 bits");
}

double JsonNode::as_double() const {
  if (!is_number()) fail_kind("a number");
  if (kind() == Kind::integer) return std::strtod(data_->text.c_str(), nullptr);
  return data_->number;
}

const std::string& JsonNode::as_string() const {
  if (kind() != Kind::string) fail_kind("a string");
  return data_->text;
}

std::string JsonNode::integer_text() const {
  if (kind() != Kind::integer) fail_kind("an integer");
  return data_->text;
}

std::size_t JsonNode::size() const noexcept { return data_->children.size(); }

JsonNode JsonNode::operator[](std::size_t index) const {
  if (kind() != Kind::array) fail_kind("an array");
  if (index >= size()) fail("element " + std::to_string(index) + " is missing");
  return JsonNode(document_, data_->children[index]);
}

std::vector<JsonNode> JsonNode::elements() const {
  if (kind() != Kind::array) fail_kind("an array");
  std::vector<JsonNode> nodes;
  nodes.reserve(size());
  for (const Data* child : data_->children) nodes.push_back(JsonNode(document_, child));
  return nodes;
}

JsonNode JsonNode::at(std::string_view key) const {
  if (kind() != Kind::object) fail_kind("an object");
  if (auto node = find(key)) return *node;
  fail("key \"" + printable(std::string(key)) + "\" is missing");
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  const auto& sorted = data_->by_key;
  const auto it =
      std::lower_bound(sorted.begin(), sorted.end(), key,
                       [](const Data* data, std::string_view k) { return data->key < k; });
  if (it == sorted.end() || (*it)->key != key) return std::nullopt;
  return JsonNode(document_, *it);
}

std::vector<JsonNode> JsonNode::items() const {
  if (kind() != Kind::object) fail_kind("an object");
  std::vector<JsonNode> nodes;
  nodes.reserve(size());
  for (const Data* child : data_->children) nodes.push_back(JsonNode(document_, child));
  return nodes;
}

const std::string& JsonNode::key() const noexcept { return data_->key; }

std::string JsonNode::pointer() const {
  std::vector<const Data*> way;
  for (const Data* data = data_; data->parent != nullptr; data = data->parent) way.push_back(data);
  std::string text;
  for (std::size_t i = way.size(); i-- > 0;) {
    const bool in_object = way[i]->parent->kind == Kind::object;
    text += pointer_part(in_object ? way[i]->key : std::to_string(way[i]->index));
  }
  return text;
}

std::string JsonNode::where() const {
  const std::string place = pointer();
  return document_->where + " at " + (place.empty() ? "/" : place);
}

void JsonNode::fail(const std::string& message, const std::string& remedy) const {
  throw Error(ErrorCode::corrupt, message, where(), remedy);
}

void JsonNode::fail_kind(const char* expected) const {
  fail(std::string("expected ") + expected + ", found " + to_string(kind()));
}

}  // namespace samestep
