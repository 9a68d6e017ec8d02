#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "capture/session.h"
#include "python/bindings.h"
#include "python/device_bytes.h"

namespace samestep::python {
namespace {

using Traits = std::map<std::string, std::string>;
using Record = Decision::Record;

const char* name_of(Record record) {
  switch (record) {
    case Record::none:
      return "none";
    case Record::digest:
      return "digest";
    case Record::full:
      return "full";
  }
  return "none";
}

Record record_from(const std::string& name) {
  if (name == "digest") return Record::digest;
  if (name == "full") return Record::full;
  throw nb::value_error("depth is digest or full");
}

Field tensor_field(const std::string& path, const std::string& role, const View& view,
                   Traits traits, std::int64_t storage, std::int64_t storage_offset,
                   const std::string& device, bool requires_grad) {
  Field field;
  field.path = FieldPath(path);
  field.role = role_from(role);
  field.kind = FieldKind::tensor;
  field.dtype = view.tensor.dtype;
  field.shape = view.tensor.shape;
  field.layout.strides = view.tensor.strides;
  field.layout.storage = storage;
  field.layout.storage_offset = storage_offset;
  field.layout.device = device;
  field.layout.requires_grad = requires_grad;
  field.traits = std::move(traits);
  return field;
}

void add_tensor(Session& session, const std::string& path, const std::string& role,
                const View& view, Traits traits, std::int64_t storage, std::int64_t storage_offset,
                const std::string& device, bool requires_grad) {
  nb::gil_scoped_release unlocked;
  FieldBytesPtr bytes = tensor_bytes(view.tensor, nullptr);
  session.add_field(tensor_field(path, role, view, std::move(traits), storage, storage_offset,
                                 device, requires_grad),
                    *bytes);
}

/// Never waits, so that the GIL may be held: the thread that writes needs it.
void lend_device_tensor(Session& session, const std::string& path, const std::string& role,
                        const View& view, Traits traits, std::int64_t storage,
                        std::int64_t storage_offset, const std::string& device, bool requires_grad,
                        nb::object pieces) {
  const std::uint64_t bytes = tensor_bytes(view.tensor, nullptr)->size();
  session.add_field_later(tensor_field(path, role, view, std::move(traits), storage, storage_offset,
                                       device, requires_grad),
                          device_bytes(std::move(pieces), bytes));
}

void add_value(Session& session, const std::string& path, const std::string& role,
               nb::handle object, Traits traits) {
  Field field;
  field.path = FieldPath(path);
  field.role = role_from(role);
  field.kind = FieldKind::value;
  field.value = value_from(object);
  field.traits = std::move(traits);
  FieldBytesPtr bytes = value_bytes(*field.value);
  session.add_field(std::move(field), *bytes);
}

void set_contract(Session& session, const std::map<std::string, std::string>& clauses) {
  Contract contract;
  for (const auto& [name, value] : clauses) contract.clauses.push_back({name, value});
  session.set_contract(std::move(contract));
}

void bind_plan(nb::module_& module) {
  nb::class_<Plan>(module, "Plan")
      .def_ro("leg", &Plan::leg)
      .def_ro("run", &Plan::run)
      .def_ro("start", &Plan::start)
      .def_ro("at", &Plan::at)
      .def_ro("steps", &Plan::steps)
      .def_ro("trace", &Plan::trace)
      .def_ro("out", &Plan::out)
      .def_ro("checkpoint", &Plan::checkpoint)
      .def_ro("background", &Plan::background)
      .def_ro("stop", &Plan::stop)
      .def_ro("final_only", &Plan::final_only)
      .def_ro("stepping", &Plan::stepping)
      .def_ro("operators_at", &Plan::operators_at);
  nb::class_<Decision>(module, "Decision")
      .def_prop_ro("record", [](const Decision& decision) { return name_of(decision.record); })
      .def_ro("trace", &Decision::trace)
      .def_ro("stop", &Decision::stop);
}

}  // namespace

void bind_session(nb::module_& module) {
  bind_plan(module);
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Session>(module, "Session")
      .def_static("open", &Session::open, nb::arg("plan_path"), nb::arg("rank"),
                  nb::arg("world_size"),
                  nb::sig("def open(plan_path: str, rank: int, "
                          "world_size: int) -> Session | None"))
      .def_prop_ro("plan", &Session::plan, nb::rv_policy::reference_internal)
      .def("at_begin", &Session::at_begin, nb::arg("completed"), nb::arg("window_open"),
           nb::arg("save_running"), Unlocked())
      .def("at_end", &Session::at_end, nb::arg("completed"), nb::arg("save_running"), Unlocked())
      .def("at_exit", &Session::at_exit, nb::arg("completed"), Unlocked())
      .def(
          "begin_record",
          [](Session& session, std::int64_t completed, const std::string& phase,
             const std::string& depth) {
            session.begin_record(completed, phase, record_from(depth));
          },
          nb::arg("completed"), nb::arg("phase"), nb::arg("depth"))
      .def("add_tensor", &add_tensor, nb::arg("path"), nb::arg("role"), nb::arg("view"),
           nb::arg("traits"), nb::arg("storage"), nb::arg("storage_offset"), nb::arg("device"),
           nb::arg("requires_grad"))
      .def("lend_device_tensor", &lend_device_tensor, nb::arg("path"), nb::arg("role"),
           nb::arg("view"), nb::arg("traits"), nb::arg("storage"), nb::arg("storage_offset"),
           nb::arg("device"), nb::arg("requires_grad"), nb::arg("pieces"))
      .def("add_value", &add_value, nb::arg("path"), nb::arg("role"), nb::arg("value").none(),
           nb::arg("traits"))
      .def("set_contract", &set_contract, nb::arg("clauses"))
      .def("commit_record", &Session::commit_record, Unlocked())
      .def("abandon_record", &Session::abandon_record, Unlocked())
      .def_prop_ro("is_in_background", &Session::is_in_background)
      .def("start_record", &Session::start_record, Unlocked())
      .def("settle_record", &Session::settle_record, Unlocked())
      .def("barrier", &Session::barrier, Unlocked())
      .def("collect_record", &Session::collect_record, nb::arg("wait"), Unlocked())
      .def(
          "trace",
          [](Session& session, std::int64_t completed, const std::string& phase,
             const std::string& digest) {
            session.trace(completed, phase, Digest::from_hex(digest));
          },
          nb::arg("completed"), nb::arg("phase"), nb::arg("digest"))
      .def(
          "observe_loaded",
          [](Session& session, const std::string& path, const std::string& digest,
             const std::string& call) {
            session.observe_loaded(FieldPath(path), Digest::from_hex(digest), call);
          },
          nb::arg("path"), nb::arg("digest"), nb::arg("call"))
      .def("dead_gradients", &Session::dead_gradients, nb::arg("paths"))
      .def("event", &Session::event, nb::arg("name"), nb::arg("json"))
      .def("close", &Session::close, Unlocked());
}

}  // namespace samestep::python
