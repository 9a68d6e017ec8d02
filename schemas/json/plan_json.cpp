#include "schemas/json/plan_json.h"

#include "schemas/json/field_json.h"

namespace samestep {
namespace {

std::string absolute(ObjectReader& reader, const char* key, bool may_be_empty) {
  std::string path = reader.string(key);
  if (path.empty() && may_be_empty) return path;
  if (path.empty() || path.front() != '/') reader.get(key).fail("expected an absolute path");
  return path;
}

StorePolicy store_policy(const JsonNode& node) {
  const auto policy = store_policy_from(node.as_string());
  if (!policy) node.fail("no policy has this name");
  return *policy;
}

}  // namespace

std::string plan_to_json(const Plan& plan) {
  JsonWriter writer(JsonWriter::Style::indented);
  writer.object().key("schema").string(kPlanSchema);
  writer.key("leg").string(plan.leg).key("run").string(plan.run);
  writer.key("start").integer(plan.start);
  if (plan.at) writer.key("at").integer(*plan.at);
  writer.key("steps").integer(plan.steps);
  writer.key("trace").boolean(plan.trace).key("log_begins").boolean(plan.log_begins);
  writer.key("final_only").boolean(plan.final_only);
  writer.key("out").string(plan.out).key("checkpoint").string(plan.checkpoint);
  writer.key("copy_to").string(plan.copy_to).key("stop").boolean(plan.stop);
  write_strings(writer.key("stepping"), plan.stepping);
  if (plan.background) writer.key("background").boolean(true);
  if (plan.operators_at) writer.key("operators_at").integer(*plan.operators_at);
  writer.key("store").string(to_string(plan.store)).end();
  return writer.take();
}

Plan plan_from_json(std::string_view text, const std::string& where) {
  ObjectReader reader(JsonNode::parse(text, where));
  reader.schema(kPlanSchema);
  Plan plan;
  plan.leg = reader.string("leg");
  plan.run = absolute(reader, "run", false);
  plan.start = reader.integer("start", 0);
  if (reader.find("at")) plan.at = reader.integer("at", 0);
  plan.steps = reader.integer("steps", 0);
  plan.trace = reader.boolean("trace");
  plan.log_begins = reader.boolean("log_begins");
  plan.final_only = reader.boolean("final_only");
  plan.out = absolute(reader, "out", true);
  plan.checkpoint = reader.string("checkpoint");
  plan.copy_to = absolute(reader, "copy_to", true);
  plan.stop = reader.boolean("stop");
  plan.stepping = reader.strings("stepping");
  if (reader.find("background")) plan.background = reader.boolean("background");
  if (const auto store = reader.find("store")) plan.store = store_policy(*store);
  if (reader.find("operators_at")) plan.operators_at = reader.integer("operators_at", 0);
  reader.done();
  return plan;
}

}  // namespace samestep
