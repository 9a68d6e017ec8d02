#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "capture/run_reader.h"
#include "python/bindings.h"

namespace samestep::python {
namespace {

nb::dict begin_of(const LogBegin& begin) {
  nb::dict entry, digests;
  for (const auto& [path, digest] : begin.fields) digests[path.c_str()] = digest.hex();
  entry["completed"] = begin.completed;
  entry["phase"] = begin.phase;
  entry["fields"] = digests;
  entry["values"] = begin.values;
  return entry;
}

nb::dict loaded_of(const StepLog& log) {
  nb::dict loaded;
  for (const auto& [path, digests] : log.loaded) {
    nb::list seen;
    for (const Digest& digest : digests) seen.append(digest.hex());
    loaded[path.c_str()] = seen;
  }
  return loaded;
}

nb::object capture_of(const RankRecord& record) {
  if (!record.capture) return nb::none();
  nb::dict fields, clauses;
  for (const Field& field : record.capture->fields) {
    nb::dict entry;
    entry["role"] = std::string(to_string(field.role));
    entry["digest"] = field.digest ? field.digest->hex() : std::string();
    entry["shape"] = field.shape;
    entry["storage"] = field.layout.storage;
    entry["traits"] = field.traits;
    fields[field.path.text().c_str()] = entry;
  }
  for (const Clause& clause : record.capture->contract.clauses)
    clauses[clause.name.c_str()] = clause.value;
  nb::dict capture;
  capture["completed"] = record.capture->completed;
  capture["fields"] = fields;
  capture["contract"] = clauses;
  return capture;
}

nb::dict rank_of(const RankRecord& record) {
  nb::list begins, traces, events;
  for (const LogBegin& begin : record.log.begins) begins.append(begin_of(begin));
  for (const LogTrace& trace : record.log.traces)
    traces.append(nb::make_tuple(trace.completed, trace.phase, trace.digest.hex()));
  for (const LogEvent& event : record.log.events)
    events.append(nb::make_tuple(event.name, event.json));
  nb::dict rank;
  rank["rank"] = record.rank;
  rank["capture"] = capture_of(record);
  rank["begins"] = begins;
  rank["traces"] = traces;
  rank["events"] = events;
  rank["loaded"] = loaded_of(record.log);
  nb::list components;
  for (const auto& component : record.log.loaded_components) components.append(component);
  rank["loaded_components"] = components;
  rank["dead_gradients"] = record.log.dead_gradients;
  rank["closed"] = record.log.closed;
  return rank;
}

}  // namespace

void bind_run(nb::module_& module) {
  module.def(
      "read_run",
      [](const std::string& run) {
        nb::list ranks;
        for (const RankRecord& record : read_run(run)) ranks.append(rank_of(record));
        return ranks;
      },
      nb::arg("run"), "Captures and step logs of a run folder, one dictionary a rank.");
}

}  // namespace samestep::python
