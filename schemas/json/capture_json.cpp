#include "schemas/json/capture_json.h"

#include <algorithm>

#include "schemas/check.h"
#include "schemas/error.h"
#include "schemas/json/dump.h"
#include "schemas/json/field_json.h"

namespace samestep {
namespace {

constexpr const char* kRankDocument = "rank";
constexpr const char* kWorldDocument = "world";
constexpr int kWorldSizeMax = 1'000'000;
constexpr std::uint64_t kFieldsMax = 1'000'000'000;
// Where the head of a document that we wrote ends: no text in it holds a line feed.
constexpr std::string_view kHeadBegin = "{\n  \"schema\": \"capture.v3\",\n";
constexpr std::string_view kHeadEnd = ",\n  \"fields\": [";
constexpr std::size_t kHexDigits = 32;
const std::string kNoChecksum(kHexDigits, '0');

void check_fields(const std::vector<Field>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    SAMESTEP_CHECK(fields[i].digest.has_value());
    SAMESTEP_CHECK(i == 0 || fields[i - 1].path < fields[i].path);
  }
}

using ComponentCounts = std::map<std::string, std::uint64_t>;

ComponentCounts components_of(const std::vector<Field>& fields) {
  ComponentCounts counts;
  for (const Field& field : fields) ++counts[field.path.component()];
  return counts;
}

std::uint64_t opaque_of(const std::vector<Field>& fields) {
  return static_cast<std::uint64_t>(std::ranges::count(fields, FieldKind::opaque, &Field::kind));
}

void write_summary(JsonWriter& writer, const CaptureRank& capture) {
  const CaptureSummary& summary = *capture.summary;
  SAMESTEP_CHECK(summary.components == components_of(capture.fields));
  SAMESTEP_CHECK(summary.opaque == opaque_of(capture.fields));
  writer.object().key("fields").string(summary.fields.hex());
  writer.key("opaque").integer(summary.opaque);
  writer.key("components").object(true);
  for (const auto& [component, count] : summary.components) writer.key(component).integer(count);
  writer.end().end();
}

void write_blobs(JsonWriter& writer, const std::map<Digest, BlobPlace>& blobs) {
  writer.object();
  for (const auto& [digest, place] : blobs) {
    writer.key(digest.hex()).object(true).key("pack").string(place.pack);
    writer.key("offset").integer(place.offset).key("stored_bytes").integer(place.stored_bytes);
    writer.key("codec").string(place.codec).end();
  }
  writer.end();
}

void write_chunks(JsonWriter& writer, const std::map<Digest, std::vector<Digest>>& chunks) {
  writer.object();
  for (const auto& [digest, list] : chunks) {
    std::string text;
    text.reserve(list.size() * kHexDigits);
    for (const Digest& chunk : list) text += chunk.hex();
    writer.key(digest.hex()).string(text);
  }
  writer.end();
}

void write_contract(JsonWriter& writer, const Contract& contract) {
  writer.object();
  for (std::size_t i = 0; i < contract.clauses.size(); ++i) {
    SAMESTEP_CHECK(i == 0 || contract.clauses[i - 1].name < contract.clauses[i].name);
    writer.key(contract.clauses[i].name).raw(canonical_json(contract.clauses[i].value));
  }
  writer.end();
}

// The digest that is the name of a member.
Digest digest_key(const JsonNode& member) {
  try {
    return Digest::from_hex(member.key());
  } catch (const Error& error) {
    member.fail(error.message());
  }
}

// A pack is named relative to the captures folder and must stay inside it.
std::string pack_name(ObjectReader& reader) {
  std::string pack = reader.string("pack");
  const bool absolute = pack.empty() || pack.front() == '/';
  const bool climbs = ("/" + pack + "/").find("/../") != std::string::npos;
  if (absolute || climbs || pack.find('\0') != std::string::npos) {
    reader.get("pack").fail("expected a path below the captures folder");
  }
  return pack;
}

std::map<Digest, BlobPlace> read_blobs(const JsonNode& node) {
  std::map<Digest, BlobPlace> blobs;
  for (const JsonNode& member : node.items()) {
    ObjectReader reader(member);
    BlobPlace place;
    place.pack = pack_name(reader);
    place.offset = reader.count("offset");
    place.stored_bytes = reader.count("stored_bytes");
    place.codec = reader.string("codec");
    reader.done();
    if (place.offset + place.stored_bytes < place.offset) member.fail("offset and length overflow");
    blobs.emplace(digest_key(member), std::move(place));
  }
  return blobs;
}

// Of version 1: an array of texts.
std::vector<Digest> read_digests(const JsonNode& node) {
  std::vector<Digest> list;
  for (const JsonNode& chunk : node.elements()) list.push_back(read_digest(chunk));
  return list;
}

std::vector<Digest> read_joined_digests(const JsonNode& node) {
  const std::string_view text = node.as_string();
  if (text.size() % kHexDigits != 0) node.fail("expected 32 digits a chunk");
  std::vector<Digest> list(text.size() / kHexDigits);
  try {
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] = Digest::from_hex(text.substr(i * kHexDigits, kHexDigits));
  } catch (const Error& error) {
    node.fail(error.message());
  }
  return list;
}

std::map<Digest, std::vector<Digest>> read_chunks(const JsonNode& node, bool joined) {
  std::map<Digest, std::vector<Digest>> chunks;
  for (const JsonNode& member : node.items())
    chunks.emplace(digest_key(member), joined ? read_joined_digests(member) : read_digests(member));
  return chunks;
}

// Its digest is checked by who can make digests.
CaptureSummary read_summary(const JsonNode& node) {
  ObjectReader reader(node);
  CaptureSummary summary;
  summary.fields = read_digest(reader.get("fields"));
  summary.opaque = reader.count("opaque");
  for (const JsonNode& member : reader.get("components").items()) {
    if (member.as_unsigned() > kFieldsMax) member.fail("too many fields");
    summary.components[member.key()] = member.as_unsigned();
  }
  reader.done();
  return summary;
}

// The one who wrote the text checks it as text.
void skip_checksum(ObjectReader& reader) { read_digest(reader.get("checksum")); }

Contract read_contract(const JsonNode& node) {
  std::map<std::string, std::string> sorted;
  for (const JsonNode& member : node.items()) sorted.emplace(member.key(), json_text(member));
  Contract contract;
  for (auto& [name, value] : sorted) contract.clauses.push_back({name, std::move(value)});
  return contract;
}

std::vector<Field> read_fields(const JsonNode& node) {
  std::vector<Field> fields;
  fields.reserve(node.size());
  for (const JsonNode& element : node.elements()) {
    Field field = read_field(element);
    if (!field.digest) element.fail("key \"digest\" is missing");
    if (!fields.empty() && !(fields.back().path < field.path)) {
      element.fail("fields are not sorted by path, or a path stands twice");
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

enum class Version : std::uint8_t { v3, v2, v1 };

Version read_version(ObjectReader& reader) {
  return static_cast<Version>(reader.schema({kCaptureSchemaV3, kCaptureSchema, kCaptureSchemaV1}));
}

void expect_document(ObjectReader& reader, const char* expected) {
  const JsonNode node = reader.get("document");
  if (node.as_string() != expected) node.fail(std::string("expected \"") + expected + "\"");
}

int read_world_size(ObjectReader& reader) {
  const int world_size = reader.small("world_size", 1);
  if (world_size > kWorldSizeMax) reader.get("world_size").fail("too many ranks");
  return world_size;
}

CaptureHead read_head(ObjectReader& reader, Version version) {
  expect_document(reader, kRankDocument);
  if (reader.integer("digest_version") != kDigestVersion) {
    reader.get("digest_version").fail("a digest scheme that this samestep does not know");
  }
  CaptureHead head;
  if (version == Version::v3) head.summary = read_summary(reader.get("summary"));
  head.boundary = read_boundary(reader.get("boundary"));
  head.completed = reader.integer("completed", 0);
  head.world_size = read_world_size(reader);
  if (head.boundary.rank >= head.world_size)
    reader.get("boundary").fail("the rank is not below world_size");
  return head;
}

void check_summary(const JsonNode& node, const CaptureRank& capture) {
  if (capture.summary->components != components_of(capture.fields))
    node.at("components").fail("not as many fields as there are");
  if (capture.summary->opaque != opaque_of(capture.fields))
    node.at("opaque").fail("not as many fields as there are");
}

}  // namespace

std::string capture_rank_to_json(const CaptureRank& capture) {
  check_fields(capture.fields);
  JsonWriter writer(JsonWriter::Style::indented);
  writer.object().key("schema").string(capture.summary ? kCaptureSchemaV3 : kCaptureSchema);
  writer.key("document").string(kRankDocument);
  writer.key("digest_version").integer(std::int64_t{kDigestVersion});
  if (capture.summary) write_summary(writer.key("summary"), capture);
  write_boundary(writer.key("boundary"), capture.boundary);
  writer.key("completed").integer(capture.completed);
  writer.key("world_size").integer(std::int64_t{capture.world_size});
  writer.key("fields").array();
  for (const Field& field : capture.fields) write_field(writer, field);
  writer.end();
  write_blobs(writer.key("blobs"), capture.blobs);
  write_chunks(writer.key("chunks"), capture.chunks);
  write_contract(writer.key("contract"), capture.contract);
  writer.key("checksum").string(kNoChecksum).end();
  return writer.take();
}

std::string capture_world_to_json(const CaptureWorld& world) {
  SAMESTEP_CHECK(static_cast<std::size_t>(world.world_size) == world.ranks.size());
  JsonWriter writer(JsonWriter::Style::indented);
  writer.object().key("schema").string(kCaptureSchema).key("document").string(kWorldDocument);
  writer.key("step").integer(world.step);
  writer.key("world_size").integer(std::int64_t{world.world_size});
  write_strings(writer.key("ranks"), world.ranks);
  writer.key("checksum").string(kNoChecksum).end();
  return writer.take();
}

CaptureRank capture_rank_from_json(std::string_view text, const std::string& where) {
  ObjectReader reader(JsonNode::parse(text, where));
  const Version version = read_version(reader);
  CaptureRank capture;
  CaptureHead head = read_head(reader, version);
  capture.boundary = std::move(head.boundary);
  capture.completed = head.completed;
  capture.world_size = head.world_size;
  capture.fields = read_fields(reader.get("fields"));
  if (version == Version::v3) {
    capture.summary = std::move(head.summary);
    check_summary(reader.get("summary"), capture);
  }
  capture.blobs = read_blobs(reader.get("blobs"));
  capture.chunks = read_chunks(reader.get("chunks"), version != Version::v1);
  capture.contract = read_contract(reader.get("contract"));
  if (version != Version::v1) skip_checksum(reader);
  reader.done();
  return capture;
}

std::optional<CaptureHead> capture_head_from_json(std::string_view text, const std::string& where) {
  const std::size_t end = text.find(kHeadEnd);
  const bool has_head = text.starts_with(kHeadBegin) && end != std::string_view::npos;
  if (!has_head) return std::nullopt;
  ObjectReader reader(JsonNode::parse(std::string(text.substr(0, end)) + "}", where));
  const Version version = read_version(reader);
  CaptureHead head = read_head(reader, version);
  reader.done();
  return head;
}

CaptureWorld capture_world_from_json(std::string_view text, const std::string& where) {
  ObjectReader reader(JsonNode::parse(text, where));
  const bool is_first = reader.schema({kCaptureSchema, kCaptureSchemaV1}) == 1;
  expect_document(reader, kWorldDocument);
  CaptureWorld world;
  world.step = reader.integer("step", 0);
  world.world_size = read_world_size(reader);
  world.ranks = reader.strings("ranks");
  if (world.ranks.size() != static_cast<std::size_t>(world.world_size)) {
    reader.get("ranks").fail("not as many manifests as ranks");
  }
  for (const JsonNode& rank : reader.get("ranks").elements()) {
    const std::string& file = rank.as_string();
    if (file.empty() || file == ".." || file.find('/') != std::string::npos) {
      rank.fail("expected a file name");
    }
  }
  if (!is_first) skip_checksum(reader);
  reader.done();
  return world;
}

}  // namespace samestep
