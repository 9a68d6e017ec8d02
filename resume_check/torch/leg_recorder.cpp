#include "resume_check/torch/leg_recorder.h"

#include <c10/core/GradMode.h>

#include "capture/torch/step_boundaries.h"
#include "capture/torch/tensor_digest.h"
#include "resume_check/digests.h"
#include "schemas/error.h"
#include "schemas/json/writer.h"
#include "schemas/value.h"

namespace samestep::libtorch {
namespace {

LogBegin log_of(const StateTree& state, std::int64_t completed, const char* phase) {
  LogBegin log{completed, phase, {}, {}};
  for (const StateEntry& entry : state.entries()) {
    const std::string& path = entry.field.path.text();
    log.fields[path] = *entry.field.digest;
    if (entry.field.value) log.values[path] = display(*entry.field.value);
  }
  return log;
}

std::string streams_json(const StateTree& streams) {
  JsonWriter json;
  json.object();
  for (const StateEntry& entry : streams.entries())
    json.key(entry.field.path.text()).string(entry.field.digest->hex());
  return json.end().take();
}

}  // namespace

LegRecorder::LegRecorder(Session& session, LegTask task)
    : session_(session), task_(std::move(task)), completed_(task_.start) {
  record_.log.leg = task_.name;
  record_.log.start = task_.start;
  record_.log.closed = true;
  session_.observe(this);
}

LegRecorder::~LegRecorder() {
  session_.observe(nullptr);
  for (auto& [parameter, hook] : hooks_) parameter.remove_hook(hook);
}

StateTree LegRecorder::read_now() {
  std::vector<std::string> unread;
  StateTree now = session_.probes().set().read({}, &unread);
  for (const std::string& error : unread) trouble("a component", error);
  compute_digests(now);
  return now;
}

void LegRecorder::begin(at::ArrayRef<at::Tensor> batch) {
  const c10::AutoGradMode no_grad(false);
  const bool again = in_step_;
  in_step_ = true;
  if (task_.last_only) return;
  if (!again) {
    met_.clear();
    const StateTree now = read_now();
    record_.log.begins.push_back(log_of(now, completed_, "begin"));
    if (completed_ == task_.at) capture(now, batch);
    if (is_traced()) {
      watch_gradients();
      steps_.emplace_back().begins.push_back(record_.log.begins.back());
    }
    if (is_traced() && task_.keeps_reference) reference_ = {snapshot_of(now), {}, {}};
  }
  if (!is_traced()) return;
  if (!batch.empty()) {
    const LogTrace trace{completed_, "batch", digest_of(batch)};
    record_.log.traces.push_back(trace);
    steps_.back().traces.push_back(trace);
  }
  if (!again && task_.follows && task_.mode == TwinMode::lock_step)
    put_back(task_.follows->begin, "at the begin of step ");
}

void LegRecorder::capture(const StateTree& now, at::ArrayRef<at::Tensor> batch) {
  record_.capture = CaptureRank{};
  record_.capture->boundary = {0, completed_ + 1, "begin"};
  record_.capture->completed = completed_;
  record_.tree = snapshot_of(now);
  if (!batch.empty()) {
    StateTree one;
    one.add(next_batch_entry(batch));
    compute_digests(one);
    record_.tree.add(one.entries().front());
  }
  dead_gradients_.remember(session_.probes().gradients());
}

void LegRecorder::watch_gradients() {
  if (!hooks_.empty()) return;
  for (auto& [path, parameter] : session_.probes().parameters()) {
    if (!parameter.requires_grad()) continue;
    const std::string phase = gradient_phase(FieldPath(path));
    const unsigned hook = parameter.register_hook(
        [this, phase](const at::Tensor& value) { return gradient(phase, value); });
    hooks_.emplace_back(parameter, hook);
  }
}

at::Tensor LegRecorder::gradient(const std::string& phase, const at::Tensor& value) {
  if (!in_step_ || !is_traced() || !value.defined()) return {};
  const c10::AutoGradMode no_grad(false);
  return seen(phase, value);
}

at::Tensor LegRecorder::seen(const std::string& phase, const at::Tensor& tensor) {
  const LogTrace trace{completed_, phase, digest_of(tensor)};
  const std::lock_guard lock(mutex_);
  record_.log.traces.push_back(trace);
  steps_.back().traces.push_back(trace);
  const std::size_t place = met_[phase]++;
  if (task_.keeps_reference) reference_.tensors[phase].push_back(tensor.detach().clone());
  if (!task_.follows || task_.mode != TwinMode::lock_step) return {};
  const auto found = task_.follows->tensors.find(phase);
  if (found == task_.follows->tensors.end() || place >= found->second.size()) return {};
  const at::Tensor& reference = found->second[place];
  if (digest_of(reference) == trace.digest) return {};
  if (reference.sizes().equals(tensor.sizes()) && reference.dtype() == tensor.dtype())
    return reference.clone();
  trouble(phase, "is of another shape in the resumed run: it was not put back");
  return {};
}

void LegRecorder::boundary(const std::string& phase, const at::Tensor& tensor) {
  if (!in_step_ || !is_traced()) return;
  const c10::AutoGradMode no_grad(false);
  const at::Tensor reference = seen(phase, tensor);
  if (!reference.defined()) return;
  try {
    // Data with a version of its own: autograd has saved the tensor, and is to use what is put in.
    tensor.variable_data().copy_(reference);
  } catch (const std::exception& error) {
    trouble(phase, std::string("was not put back: ") + error.what());
  }
}

void LegRecorder::end() noexcept {
  if (!in_step_) return;
  in_step_ = false;
  try {
    end_step();
  } catch (...) {
    if (!error_) error_ = std::current_exception();
  }
}

void LegRecorder::end_step() {
  const c10::AutoGradMode no_grad(false);
  const bool traced = is_traced();
  const std::int64_t step = completed_++;
  const bool last = completed_ == task_.at + task_.steps;
  if (!traced && !last) return;
  const StateTree now = read_now();
  const LogBegin log = log_of(now, completed_, "end");
  if (last) record_.log.begins.push_back(log);
  if (!traced) return;
  for (std::string& path : dead_gradients_.take(true))
    record_.log.dead_gradients.push_back(std::move(path));
  for (const auto& [phase, digest] : optimizer_phases(now)) {
    record_.log.traces.push_back({step, phase, digest});
    steps_.back().traces.push_back({step, phase, digest});
  }
  steps_.back().begins.push_back(log);
  if (task_.keeps_reference) reference_.end = snapshot_of(now);
  if (task_.follows) put_back(task_.follows->end, "after step ");
}

void LegRecorder::put_back(const StateTree& state, const std::string& when) {
  try {
    session_.probes().set().restore(state, "the uninterrupted run");
  } catch (const Error& error) {
    trouble("state put back " + when + std::to_string(completed_), error.message());
  }
}

void LegRecorder::restored(const std::string& path) {
  static_cast<void>(path);
  const StateTree now = read_now();
  for (const StateEntry& entry : now.entries()) {
    record_.log.loaded[entry.field.path.text()].push_back(*entry.field.digest);
    record_.log.loaded_components.insert(entry.field.path.component());
  }
}

void LegRecorder::saved(const std::string& path, const StateTree& before, const StateTree& after) {
  record_.log.events.push_back({"save", "{\"call\":" + json_string(path) +
                                            ",\"completed\":" + std::to_string(completed_) +
                                            ",\"inside\":false,\"before\":" + streams_json(before) +
                                            ",\"after\":" + streams_json(after) + "}"});
}

void LegRecorder::rethrow() {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace samestep::libtorch
