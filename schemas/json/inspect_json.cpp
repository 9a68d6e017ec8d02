#include "schemas/json/inspect_json.h"

#include "schemas/json/field_json.h"

namespace samestep {
namespace {

void write_digest(JsonWriter& writer, const InspectedField& entry) {
  writer.object();
  if (entry.field.digest) writer.key("xxh3").string(entry.field.digest->hex());
  if (!entry.sha256.empty()) writer.key("sha256").string(entry.sha256);
  writer.end();
}

void write_entry(JsonWriter& writer, const InspectedField& entry) {
  const Field& field = entry.field;
  writer.object(true).key("path").string(field.path.text());
  writer.key("role").string(to_string(field.role)).key("kind").string(to_string(field.kind));
  if (field.kind == FieldKind::tensor) {
    writer.key("dtype").string(to_string(field.dtype));
    write_integers(writer.key("shape"), field.shape);
  }
  writer.key("bytes").integer(field.bytes);
  if (field.value) write_plain(writer.key("value"), *field.value);
  if (!field.class_name.empty()) writer.key("class").string(field.class_name);
  if (field.digest || !entry.sha256.empty()) write_digest(writer.key("digest"), entry);
  write_layout(writer.key("layout"), field.layout);
  write_source(writer.key("source"), field.source);
  if (entry.rank != 0) writer.key("rank").integer(std::int64_t{entry.rank});
  writer.end();
}

void write_components(JsonWriter& writer, const std::map<std::string, ComponentCount>& components) {
  writer.object();
  for (const auto& [name, count] : components) {
    writer.key(name).object(true).key("fields").integer(count.fields);
    writer.key("bytes").integer(count.bytes).end();
  }
  writer.end();
}

std::string read_sha256(const JsonNode& node) {
  const std::string& text = node.as_string();
  const bool hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (text.size() != 64 || !hex) node.fail("expected 64 lower-case hexadecimal digits");
  return text;
}

InspectedField read_entry(const JsonNode& node) {
  ObjectReader reader(node);
  InspectedField entry;
  Field& field = entry.field;
  read_names(reader, field);
  field.bytes = reader.count("bytes");
  if (const auto value = reader.find("value")) field.value = read_plain(*value);
  if (reader.find("class")) field.class_name = reader.string("class");
  if (const auto digest = reader.find("digest")) {
    ObjectReader digests(*digest);
    if (const auto xxh3 = digests.find("xxh3")) field.digest = read_digest(*xxh3);
    if (const auto sha256 = digests.find("sha256")) entry.sha256 = read_sha256(*sha256);
    digests.done();
  }
  field.layout = read_layout(reader.get("layout"));
  field.source = read_source(reader.get("source"));
  if (reader.find("rank")) entry.rank = reader.small("rank");
  reader.done();
  return entry;
}

std::map<std::string, ComponentCount> read_components(const JsonNode& node) {
  std::map<std::string, ComponentCount> components;
  for (const JsonNode& member : node.items()) {
    ObjectReader reader(member);
    const ComponentCount count{reader.count("fields"), reader.count("bytes")};
    reader.done();
    components.emplace(member.key(), count);
  }
  return components;
}

}  // namespace

std::string inspection_to_json(const Inspection& inspection) {
  JsonWriter writer(JsonWriter::Style::indented);
  writer.object().key("schema").string(kInspectSchema);
  writer.key("path").string(inspection.path).key("format").string(inspection.format);
  writer.key("step");
  inspection.step ? writer.integer(*inspection.step) : writer.null();
  writer.key("step_source").string(inspection.step_source);
  writer.key("fields").array();
  for (const InspectedField& entry : inspection.fields) write_entry(writer, entry);
  writer.end();
  write_components(writer.key("components"), inspection.components);
  write_pairs(writer.key("absent"), inspection.absent);
  write_strings(writer.key("warnings"), inspection.warnings, false);
  write_strings(writer.key("notes"), inspection.notes, false);
  writer.end();
  return writer.take();
}

Inspection inspection_from_json(std::string_view text, const std::string& where) {
  ObjectReader reader(JsonNode::parse(text, where));
  reader.schema(kInspectSchema);
  Inspection inspection;
  inspection.path = reader.string("path");
  inspection.format = reader.string("format");
  if (!reader.get("step").is_null()) inspection.step = reader.integer("step", 0);
  inspection.step_source = reader.string("step_source");
  for (const JsonNode& node : reader.get("fields").elements()) {
    inspection.fields.push_back(read_entry(node));
  }
  inspection.components = read_components(reader.get("components"));
  inspection.absent = read_pairs(reader.get("absent"));
  inspection.warnings = reader.strings("warnings");
  inspection.notes = reader.strings("notes");
  reader.done();
  return inspection;
}

}  // namespace samestep
