// The first divergence of a report, in JSON form.
#include "schemas/json/report_parts.h"

namespace samestep {
namespace {

void write_operator(JsonWriter& writer, const OperatorReport& op) {
  writer.object();
  write_boundary(writer.key("where"), op.where);
  writer.key("name").string(op.name).key("phase").string(op.phase);
  writer.key("module").string(op.module).key("inside").string(op.inside);
  writer.key("differs").string(op.differs).key("argument").string(op.argument);
  write_side(writer.key("uninterrupted"), op.uninterrupted);
  write_side(writer.key("resumed"), op.resumed);
  writer.key("same_before").integer(op.same_before);
  write_strings(writer.key("evidence"), op.evidence, false);
  writer.end();
}

OperatorReport read_operator(const JsonNode& node) {
  ObjectReader reader(node);
  OperatorReport op;
  op.where = read_boundary(reader.get("where"));
  op.name = reader.string("name");
  op.phase = reader.string("phase");
  op.module = reader.string("module");
  op.inside = reader.string("inside");
  op.differs = reader.string("differs");
  op.argument = reader.string("argument");
  op.uninterrupted = read_side(reader.get("uninterrupted"));
  op.resumed = read_side(reader.get("resumed"));
  op.same_before = reader.count("same_before");
  op.evidence = reader.strings("evidence");
  reader.done();
  return op;
}

}  // namespace

void write_divergence(JsonWriter& writer, const std::optional<DivergenceReport>& divergence) {
  if (!divergence) {
    writer.null();
    return;
  }
  writer.object();
  write_boundary(writer.key("first"), divergence->first);
  writer.key("name").string(divergence->name);
  writer.key("certified_steps").integer(divergence->certified_steps);
  writer.key("certified_boundaries").integer(divergence->certified_boundaries);
  writer.key("folded").integer(divergence->folded);
  if (divergence->op) write_operator(writer.key("operator"), *divergence->op);
  writer.end();
}

DivergenceReport read_divergence(const JsonNode& node) {
  ObjectReader reader(node);
  DivergenceReport divergence;
  divergence.first = read_boundary(reader.get("first"));
  divergence.name = reader.string("name");
  divergence.certified_steps = reader.integer("certified_steps", 0);
  divergence.certified_boundaries = reader.count("certified_boundaries");
  divergence.folded = reader.count("folded");
  if (const auto op = reader.find("operator")) divergence.op = read_operator(*op);
  reader.done();
  return divergence;
}

}  // namespace samestep
