#include "schemas/json/report_json.h"

#include "schemas/json/dump.h"
#include "schemas/json/report_parts.h"

namespace samestep {
namespace {

void write_cause(JsonWriter& writer, const std::vector<CauseEntry>& cause) {
  writer.array();
  for (const CauseEntry& entry : cause) {
    writer.object().key("field").string(entry.field).key("component").string(entry.component);
    writer.key("proof").string(entry.proof).end();
  }
  writer.end();
}

CauseEntry read_cause(const JsonNode& node) {
  ObjectReader reader(node);
  CauseEntry entry{reader.string("field"), reader.string("component"), reader.string("proof")};
  reader.done();
  return entry;
}

void write_contract(JsonWriter& writer, const std::map<std::string, std::string>& contract) {
  writer.object();
  for (const auto& [name, value] : contract) writer.key(name).raw(canonical_json(value));
  writer.end();
}

}  // namespace

std::string report_to_json(const Report& report) {
  JsonWriter writer(JsonWriter::Style::indented);
  writer.object().key("schema").string(kReportSchema).key("verb").string(report.verb);
  writer.key("verdict").string(to_string(report.verdict)).key("reason").string(report.reason);
  writer.key("findings").array();
  for (const Finding& finding : report.findings) write_finding(writer, finding);
  writer.end();
  write_cause(writer.key("cause"), report.cause);
  write_divergence(writer.key("divergence"), report.divergence);
  write_coverage(writer.key("coverage"), report.coverage);
  writer.key("legs").array();
  for (const LegReport& leg : report.legs) write_leg(writer, leg);
  writer.end();
  write_contract(writer.key("contract"), report.contract);
  write_map(writer.key("host"), report.host);
  writer.end();
  return writer.take();
}

Report report_from_json(std::string_view text, const std::string& where) {
  ObjectReader reader(JsonNode::parse(text, where));
  reader.schema(kReportSchema);
  Report report;
  report.verb = reader.string("verb");
  report.verdict = read_name(reader.get("verdict"), verdict_from);
  report.reason = reader.string("reason");
  for (const JsonNode& node : reader.get("findings").elements()) {
    report.findings.push_back(read_finding(node));
  }
  for (const JsonNode& node : reader.get("cause").elements()) {
    report.cause.push_back(read_cause(node));
  }
  if (const JsonNode node = reader.get("divergence"); !node.is_null()) {
    report.divergence = read_divergence(node);
  }
  report.coverage = read_coverage(reader.get("coverage"));
  for (const JsonNode& node : reader.get("legs").elements()) report.legs.push_back(read_leg(node));
  for (const JsonNode& member : reader.get("contract").items()) {
    report.contract.emplace(member.key(), json_text(member));
  }
  report.host = read_map(reader.get("host"));
  reader.done();
  return report;
}

}  // namespace samestep
