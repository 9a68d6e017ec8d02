#include "schemas/json/dump.h"

#include "schemas/error.h"

namespace samestep {

void write_node(JsonWriter& writer, const JsonNode& node) {
  switch (node.kind()) {
    case JsonNode::Kind::null:
      writer.null();
      return;
    case JsonNode::Kind::boolean:
      writer.boolean(node.as_bool());
      return;
    case JsonNode::Kind::integer:
      writer.raw(node.integer_text());
      return;
    case JsonNode::Kind::floating:
      writer.number(node.as_double());
      return;
    case JsonNode::Kind::string:
      writer.string(node.as_string());
      return;
    case JsonNode::Kind::array:
      writer.array();
      for (const JsonNode& element : node.elements()) write_node(writer, element);
      writer.end();
      return;
    case JsonNode::Kind::object:
      writer.object();
      for (const JsonNode& member : node.items()) write_node(writer.key(member.key()), member);
      writer.end();
      return;
  }
}

std::string json_text(const JsonNode& node) {
  JsonWriter writer;
  write_node(writer, node);
  return writer.take();
}

std::string canonical_json(const std::string& text) {
  try {
    return json_text(JsonNode::parse(text, "value"));
  } catch (const Error&) {
    return json_string(text);
  }
}

}  // namespace samestep
