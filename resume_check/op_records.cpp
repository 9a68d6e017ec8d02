#include "resume_check/op_records.h"

#include "schemas/json/node.h"

namespace samestep {
namespace {

std::string text_or_empty(const JsonNode& node, const char* key) {
  const auto found = node.find(key);
  return found ? found->as_string() : std::string();
}

std::vector<std::int64_t> numbers(const JsonNode& node) {
  std::vector<std::int64_t> list;
  for (const JsonNode& number : node.elements()) list.push_back(number.as_int());
  return list;
}

OpValue value_from(const JsonNode& node) {
  OpValue value;
  value.name = node.at("name").as_string();
  if (const auto dtype = node.find("dtype")) {
    value.is_tensor = true;
    value.dtype = dtype->as_string();
    value.shape = numbers(node.at("shape"));
    if (const auto strides = node.find("strides")) value.strides = numbers(*strides);
    if (const auto reading = node.find("reading")) value.reading = reading->as_string();
  }
  if (const auto text = node.find("value")) value.text = text->as_string();
  for (const char* key : {"digest", "bits"})
    if (const auto digest = node.find(key)) value.digest = Digest::from_hex(digest->as_string());
  return value;
}

OpRecord record_from(const JsonNode& node) {
  OpRecord record;
  record.number = node.at("n").as_unsigned();
  if (const auto lane = node.find("lane")) record.lane = lane->as_unsigned();
  record.name = node.at("name").as_string();
  record.overload = node.at("overload").as_string();
  record.phase = node.at("phase").as_string();
  record.module = text_or_empty(node, "module");
  record.inside = text_or_empty(node, "inside");
  record.random = node.contains("random");
  for (const JsonNode& value : node.at("in").elements()) record.inputs.push_back(value_from(value));
  for (const JsonNode& value : node.at("out").elements())
    record.outputs.push_back(value_from(value));
  return record;
}

}  // namespace

OpRecords operators_of(const StepLog& log) {
  OpRecords records;
  for (const LogEvent& event : log.events) {
    if (event.name != "operators" && event.name != "operators_untraced") continue;
    const JsonNode data = JsonNode::parse(event.json, "event " + event.name);
    if (event.name == "operators_untraced") {
      records.untraced = data.at("reason").as_string();
      continue;
    }
    records.traced = true;
    records.threads = static_cast<int>(data.at("threads").as_int());
    records.error = text_or_empty(data, "error");
    for (const JsonNode& op : data.at("operators").elements())
      records.operators.push_back(record_from(op));
  }
  return records;
}

}  // namespace samestep
