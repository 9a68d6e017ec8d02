#include "capture/torch/op_trace_text.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "capture/torch/op_trace_shared.h"
#include "schemas/json/writer.h"

namespace samestep::libtorch {
namespace {

constexpr std::size_t kRowsOfAPart = 256;

struct Placed {
  const Lane* lane;
  std::size_t lane_number;
  const OpRow* row;
};

std::vector<Placed> in_order(const TraceShared& trace) {
  std::vector<Placed> rows;
  for (std::size_t i = 0; i < trace.lanes.size(); ++i)
    for (const OpRow& row : trace.lanes[i]->rows) rows.push_back({trace.lanes[i].get(), i, &row});
  std::sort(rows.begin(), rows.end(),
            [](const Placed& a, const Placed& b) { return a.row->number < b.row->number; });
  return rows;
}

/// The module whose forward made the node that a backward runs.
std::map<std::int64_t, std::int32_t> modules_by_sequence(const std::vector<Placed>& rows) {
  std::map<std::int64_t, std::int32_t> modules;
  for (const Placed& placed : rows) {
    const OpRow& row = *placed.row;
    const bool forward = row.phase != OpPhase::backward && row.sequence >= 0;
    if (forward && row.module >= 0) modules[row.sequence] = row.module;
  }
  return modules;
}

const char* reading_name(Reading reading) {
  switch (reading) {
    case Reading::whole:
      return "whole";
    case Reading::laid:
      return "laid";
    case Reading::part:
      return "part";
    case Reading::unset:
      return "unset";
    case Reading::unread:
      break;
  }
  return "unread";
}

void write_tensor(JsonWriter& json, const Lane& lane, const OpValue& value) {
  const auto numbers = [&](const char* key, std::size_t begin) {
    json.key(key).array();
    for (std::size_t i = 0; i < value.dimensions; ++i) json.integer(lane.layouts[begin + i]);
    json.end();
  };
  json.key("dtype").string(value.dtype == Dtype::none ? "unknown" : to_string(value.dtype));
  numbers("shape", value.layout);
  if (value.reading == Reading::laid) numbers("strides", value.layout + value.dimensions);
  if (value.reading != Reading::whole) json.key("reading").string(reading_name(value.reading));
  if (value.reading <= Reading::part) json.key("digest").string(value.digest.hex());
}

void write_value(JsonWriter& json, const Lane& lane, const OpValue& value, std::string name) {
  if (value.element >= 0) name += "[" + std::to_string(value.element) + "]";
  json.object().key("name").string(name);
  const std::uint64_t bits = value.digest.low;
  switch (value.kind) {
    case OpValue::Kind::tensor:
      write_tensor(json, lane, value);
      break;
    case OpValue::Kind::integer:
      json.key("value").string(std::to_string(static_cast<std::int64_t>(bits)));
      break;
    case OpValue::Kind::number: {
      JsonWriter number;
      number.number(std::bit_cast<double>(bits));
      json.key("value").string(number.take()).key("bits").string(Digest{0, bits}.hex());
      break;
    }
    case OpValue::Kind::boolean:
      json.key("value").string(bits != 0 ? "true" : "false");
      break;
    case OpValue::Kind::list:
      json.key("digest").string(value.digest.hex());
      break;
  }
  json.end();
}

std::string argument_name(const OpSchema& schema, const OpValue& value) {
  return value.place < schema.arguments.size() ? schema.arguments[value.place]
                                               : "argument " + std::to_string(value.place);
}

void write_row(JsonWriter& json, const Placed& placed, const std::string& module) {
  const OpRow& row = *placed.row;
  const OpSchema& schema = *row.schema;
  json.object().key("n").integer(row.number).key("name").string(schema.name);
  json.key("overload").string(schema.overload).key("phase").string(to_string(row.phase));
  if (placed.lane_number > 0) json.key("lane").integer(std::uint64_t{placed.lane_number});
  if (row.inside != nullptr) json.key("inside").string(row.inside->name);
  if (!module.empty()) json.key("module").string(module);
  if (schema.draws_random) json.key("random").boolean(true);
  const OpValue* values = placed.lane->values.data() + row.values;
  json.key("in").array();
  for (std::uint32_t i = 0; i < row.inputs; ++i)
    write_value(json, *placed.lane, values[i], argument_name(schema, values[i]));
  json.end().key("out").array();
  for (std::uint32_t i = row.inputs; i < row.inputs + row.outputs; ++i) {
    const bool argument = values[i].mutated;
    write_value(
        json, *placed.lane, values[i],
        argument ? argument_name(schema, values[i]) : "output " + std::to_string(values[i].place));
  }
  json.end().end();
}

}  // namespace

const char* to_string(OpPhase phase) noexcept {
  switch (phase) {
    case OpPhase::forward:
      return "forward";
    case OpPhase::backward:
      return "backward";
    case OpPhase::optimizer:
      return "optimizer";
    case OpPhase::between:
      break;
  }
  return "between";
}

std::string next_part(TraceShared& trace, std::size_t& taken) {
  const auto rows = in_order(trace);
  if (taken > rows.size() || (taken == rows.size() && taken > 0)) return {};
  const auto forwards = modules_by_sequence(rows);
  JsonWriter json;
  json.object().key("threads").integer(std::int64_t{trace.threads});
  if (!trace.error.empty()) json.key("error").string(trace.error);
  json.key("operators").array();
  const std::size_t end = std::min(rows.size(), taken + kRowsOfAPart);
  for (std::size_t i = taken; i < end; ++i) {
    const OpRow& row = *rows[i].row;
    std::int32_t module = row.module;
    if (row.phase == OpPhase::backward) {
      const auto forward = forwards.find(row.sequence);
      module = forward == forwards.end() ? -1 : forward->second;
    }
    write_row(json, rows[i], module < 0 ? "" : trace.modules[static_cast<std::size_t>(module)]);
  }
  taken = std::max<std::size_t>(end, 1);
  return json.end().end().take();
}

}  // namespace samestep::libtorch
