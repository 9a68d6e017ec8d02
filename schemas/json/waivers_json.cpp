#include "schemas/json/waivers_json.h"

#include "schemas/json/object_reader.h"
#include "schemas/json/writer.h"

namespace samestep {
namespace {

std::string non_empty(ObjectReader& reader, const char* key) {
  std::string text = reader.string(key);
  if (text.empty()) reader.get(key).fail("an empty text");
  return text;
}

Waiver read_waiver(const JsonNode& node) {
  ObjectReader reader(node);
  Waiver waiver;
  waiver.field = non_empty(reader, "field");
  waiver.reason = non_empty(reader, "reason");
  waiver.owner = non_empty(reader, "owner");
  waiver.expires = reader.string("expires");
  if (!is_date(waiver.expires)) reader.get("expires").fail("expected a date, YYYY-MM-DD");
  reader.done();
  return waiver;
}

}  // namespace

std::string waivers_to_json(const std::vector<Waiver>& waivers) {
  JsonWriter writer(JsonWriter::Style::indented);
  writer.object().key("schema").string(kWaiversSchema).key("waivers").array();
  for (const Waiver& waiver : waivers) {
    writer.object().key("field").string(waiver.field).key("reason").string(waiver.reason);
    writer.key("owner").string(waiver.owner).key("expires").string(waiver.expires).end();
  }
  writer.end().end();
  return writer.take();
}

std::vector<Waiver> waivers_from_json(std::string_view text, const std::string& where) {
  ObjectReader reader(JsonNode::parse(text, where));
  reader.schema(kWaiversSchema);
  std::vector<Waiver> waivers;
  for (const JsonNode& node : reader.get("waivers").elements())
    waivers.push_back(read_waiver(node));
  reader.done();
  return waivers;
}

}  // namespace samestep
