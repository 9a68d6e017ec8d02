// A finding's JSON form.
#include "schemas/json/report_parts.h"

namespace samestep {
namespace {

void write_difference(JsonWriter& writer, const Difference& difference) {
  writer.object(true).key("first_byte").integer(difference.first_byte);
  writer.key("last_byte").integer(difference.last_byte);
  writer.key("elements").integer(difference.elements);
  writer.key("elements_total").integer(difference.elements_total);
  writer.key("first_index").integer(difference.first_index);
  write_integers(writer.key("first_position"), difference.first_position);
  writer.key("source_value").string(difference.source_value);
  writer.key("target_value").string(difference.target_value);
  if (difference.ulp_max) writer.key("ulp_max").integer(*difference.ulp_max);
  writer.end();
}

Difference read_difference(const JsonNode& node) {
  ObjectReader reader(node);
  Difference difference;
  difference.first_byte = reader.count("first_byte");
  difference.last_byte = reader.count("last_byte");
  difference.elements = reader.count("elements");
  difference.elements_total = reader.count("elements_total");
  difference.first_index = reader.count("first_index");
  difference.first_position = reader.integers("first_position");
  difference.source_value = reader.string("source_value");
  difference.target_value = reader.string("target_value");
  if (reader.find("ulp_max")) difference.ulp_max = reader.count("ulp_max");
  reader.done();
  return difference;
}

}  // namespace

void write_side(JsonWriter& writer, const Side& side) {
  writer.object(true).key("present").boolean(side.present);
  if (!side.dtype.empty()) {
    writer.key("dtype").string(side.dtype);
    write_integers(writer.key("shape"), side.shape);
  }
  if (side.digest) writer.key("digest").string(side.digest->hex());
  if (side.value) write_plain(writer.key("value"), *side.value);
  if (!side.source.empty()) writer.key("source").string(side.source);
  writer.end();
}

Side read_side(const JsonNode& node) {
  ObjectReader reader(node);
  Side side;
  side.present = reader.boolean("present");
  if (reader.find("dtype")) {
    side.dtype = reader.string("dtype");
    side.shape = reader.integers("shape");
  }
  if (const auto digest = reader.find("digest")) side.digest = read_digest(*digest);
  if (const auto value = reader.find("value")) side.value = read_plain(*value);
  if (reader.find("source")) side.source = reader.string("source");
  reader.done();
  return side;
}

void write_finding(JsonWriter& writer, const Finding& finding) {
  writer.object().key("kind").string(to_string(finding.kind));
  writer.key("grade").string(to_string(finding.grade));
  writer.key("field").string(finding.field).key("component").string(finding.component);
  writer.key("rank").integer(std::int64_t{finding.rank});
  writer.key("role").string(to_string(finding.role)).key("fate");
  finding.fate ? writer.string(to_string(*finding.fate)) : writer.null();
  write_strings(writer.key("marks"), finding.marks);
  write_strings(writer.key("evidence"), finding.evidence, false);
  write_side(writer.key("captured"), finding.captured);
  write_side(writer.key("checkpointed"), finding.checkpointed);
  write_side(writer.key("restored"), finding.restored);
  if (finding.loaded) write_side(writer.key("loaded"), *finding.loaded);
  writer.key("where");
  finding.where ? write_boundary(writer, *finding.where) : void(writer.null());
  if (finding.difference) write_difference(writer.key("difference"), *finding.difference);
  writer.key("next").string(finding.next).end();
}

Finding read_finding(const JsonNode& node) {
  ObjectReader reader(node);
  Finding finding;
  finding.kind = read_name(reader.get("kind"), finding_kind_from);
  finding.grade = read_name(reader.get("grade"), grade_from);
  finding.field = reader.string("field");
  finding.component = reader.string("component");
  finding.rank = reader.small("rank");
  finding.role = read_name(reader.get("role"), role_from);
  if (const JsonNode fate = reader.get("fate"); !fate.is_null()) {
    finding.fate = read_name(fate, fate_from);
  }
  finding.marks = reader.strings("marks");
  finding.evidence = reader.strings("evidence");
  finding.captured = read_side(reader.get("captured"));
  finding.checkpointed = read_side(reader.get("checkpointed"));
  finding.restored = read_side(reader.get("restored"));
  if (const auto loaded = reader.find("loaded")) finding.loaded = read_side(*loaded);
  if (const JsonNode where = reader.get("where"); !where.is_null()) {
    finding.where = read_boundary(where);
  }
  if (const auto difference = reader.find("difference")) {
    finding.difference = read_difference(*difference);
  }
  finding.next = reader.string("next");
  reader.done();
  return finding;
}

}  // namespace samestep
