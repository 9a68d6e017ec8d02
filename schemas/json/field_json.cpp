#include "schemas/json/field_json.h"

namespace samestep {
namespace {

void write_key(JsonWriter& writer, const SourceKey& key) {
  switch (key.kind) {
    case SourceKey::Kind::string:
      writer.string(key.text);
      return;
    case SourceKey::Kind::integer:
      writer.raw(key.text);
      return;
    case SourceKey::Kind::attribute:
      writer.object().key("attr").string(key.text).end();
      return;
    case SourceKey::Kind::repr:
      writer.object().key("repr").string(key.text).end();
      return;
  }
}

SourceKey read_key(const JsonNode& node) {
  if (node.is_string()) return {SourceKey::Kind::string, node.as_string()};
  if (node.is_integer()) return {SourceKey::Kind::integer, node.integer_text()};
  if (!node.is_object() || node.size() != 1) node.fail("expected a key");
  const JsonNode member = node.items().front();
  if (member.key() == "attr") return {SourceKey::Kind::attribute, member.as_string()};
  if (member.key() == "repr") return {SourceKey::Kind::repr, member.as_string()};
  member.fail("unknown key");
}

bool is_default(const Layout& layout) {
  return layout.strides.empty() && layout.storage < 0 && layout.storage_offset == 0 &&
         layout.device.empty() && !layout.requires_grad;
}

void read_tensor(ObjectReader& reader, Field& field) {
  const JsonNode dtype = reader.get("dtype");
  const auto known = dtype_from(dtype.as_string());
  if (!known) dtype.fail("no dtype has this name");
  field.dtype = *known;
  field.shape = reader.integers("shape");
  for (const JsonNode& length : reader.get("shape").elements()) {
    if (length.as_int() < 0) length.fail("a negative length");
  }
}

}  // namespace

void write_strings(JsonWriter& writer, const std::vector<std::string>& list, bool compact) {
  writer.array(compact);
  for (const std::string& text : list) writer.string(text);
  writer.end();
}

void write_integers(JsonWriter& writer, const std::vector<std::int64_t>& list) {
  writer.array(true);
  for (const std::int64_t number : list) writer.integer(number);
  writer.end();
}

void write_map(JsonWriter& writer, const std::map<std::string, std::string>& map) {
  writer.object();
  for (const auto& [key, text] : map) writer.key(key).string(text);
  writer.end();
}

std::map<std::string, std::string> read_map(const JsonNode& node) {
  std::map<std::string, std::string> map;
  for (const JsonNode& member : node.items()) map.emplace(member.key(), member.as_string());
  return map;
}

void write_pairs(JsonWriter& writer,
                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  writer.array();
  for (const auto& [what, why] : pairs) {
    writer.object(true).key("what").string(what).key("why").string(why).end();
  }
  writer.end();
}

std::vector<std::pair<std::string, std::string>> read_pairs(const JsonNode& node) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const JsonNode& element : node.elements()) {
    ObjectReader reader(element);
    pairs.emplace_back(reader.string("what"), reader.string("why"));
    reader.done();
  }
  return pairs;
}

Digest read_digest(const JsonNode& node) { return read_name(node, Digest::from_hex); }

void write_layout(JsonWriter& writer, const Layout& layout) {
  writer.object();
  if (!layout.strides.empty()) write_integers(writer.key("strides"), layout.strides);
  if (layout.storage >= 0) writer.key("storage").integer(layout.storage);
  if (layout.storage_offset != 0) writer.key("storage_offset").integer(layout.storage_offset);
  if (!layout.device.empty()) writer.key("device").string(layout.device);
  if (layout.requires_grad) writer.key("requires_grad").boolean(*layout.requires_grad);
  writer.end();
}

Layout read_layout(const JsonNode& node) {
  ObjectReader reader(node);
  Layout layout;
  if (reader.find("strides")) layout.strides = reader.integers("strides");
  if (reader.find("storage")) layout.storage = reader.integer("storage", 0);
  if (reader.find("storage_offset")) layout.storage_offset = reader.integer("storage_offset");
  if (reader.find("device")) layout.device = reader.string("device");
  if (reader.find("requires_grad")) layout.requires_grad = reader.boolean("requires_grad");
  reader.done();
  return layout;
}

void write_source(JsonWriter& writer, const Source& source) {
  writer.object(true).key("file").string(source.file).key("keys").array();
  for (const SourceKey& key : source.keys) write_key(writer, key);
  writer.end().end();
}

Source read_source(const JsonNode& node) {
  ObjectReader reader(node);
  Source source;
  source.file = reader.string("file");
  for (const JsonNode& key : reader.get("keys").elements()) source.keys.push_back(read_key(key));
  reader.done();
  return source;
}

void write_field(JsonWriter& writer, const Field& field) {
  writer.object(true).key("path").string(field.path.text());
  writer.key("role").string(to_string(field.role)).key("kind").string(to_string(field.kind));
  if (field.kind == FieldKind::tensor) {
    writer.key("dtype").string(to_string(field.dtype));
    write_integers(writer.key("shape"), field.shape);
  }
  if (field.digest) writer.key("digest").string(field.digest->hex());
  writer.key("bytes").integer(field.bytes);
  if (field.value) write_tagged(writer.key("value"), *field.value);
  if (!field.class_name.empty()) writer.key("class").string(field.class_name);
  if (!is_default(field.layout)) write_layout(writer.key("layout"), field.layout);
  if (!field.source.file.empty() || !field.source.keys.empty()) {
    write_source(writer.key("source"), field.source);
  }
  if (!field.traits.empty()) write_map(writer.key("traits"), field.traits);
  writer.end();
}

void read_names(ObjectReader& reader, Field& field) {
  field.path = FieldPath(reader.string("path"));
  if (field.path.empty()) reader.get("path").fail("an empty path");
  field.role = read_name(reader.get("role"), role_from);
  field.kind = read_name(reader.get("kind"), field_kind_from);
  if (field.kind == FieldKind::tensor) read_tensor(reader, field);
}

Field read_field(const JsonNode& node) {
  ObjectReader reader(node);
  Field field;
  read_names(reader, field);
  if (const auto digest = reader.find("digest")) field.digest = read_digest(*digest);
  field.bytes = reader.count("bytes");
  if (const auto value = reader.find("value")) field.value = read_tagged(*value);
  if (reader.find("class")) field.class_name = reader.string("class");
  if (const auto layout = reader.find("layout")) field.layout = read_layout(*layout);
  if (const auto source = reader.find("source")) field.source = read_source(*source);
  if (const auto traits = reader.find("traits")) field.traits = read_map(*traits);
  reader.done();
  return field;
}

void write_boundary(JsonWriter& writer, const Boundary& boundary) {
  writer.object(true).key("rank").integer(std::int64_t{boundary.rank});
  writer.key("step").integer(boundary.step).key("phase").string(boundary.phase).end();
}

Boundary read_boundary(const JsonNode& node) {
  ObjectReader reader(node);
  Boundary boundary;
  boundary.rank = reader.small("rank");
  boundary.step = reader.integer("step", 0);
  boundary.phase = reader.string("phase");
  reader.done();
  return boundary;
}

}  // namespace samestep
