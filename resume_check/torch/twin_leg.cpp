#include "resume_check/torch/twin_leg.h"

#include "schemas/count_text.h"
#include "schemas/error.h"

namespace samestep::libtorch {
namespace {

// Of one that accumulates over more forwards a single call of step() should make all of them.
constexpr int kCallsMax = 1000;

bool is_stream(const FieldPath& path) { return path.component_kind() == "rng"; }

}  // namespace

TwinLeg::TwinLeg(const TwinFactory& factory, LegTask task, std::uint64_t seed)
    : name_(task.name), streams_(seed) {
  within([&] { trainer_ = factory(); });
  Session& session = trainer_.session();
  if (session.is_recording())
    throw Error(ErrorCode::usage, "a twin cannot run in a process that obeys a plan of an audit",
                "SAMESTEP_PLAN", "unset it");
  recorder_ = std::make_unique<LegRecorder>(session, std::move(task));
}

void TwinLeg::within(const std::function<void()>& work) {
  const auto started = std::chrono::steady_clock::now();
  const LegStreams::Inside inside(streams_);
  put_back_streams();
  work();
  if (recorder_) {
    recorder_->rethrow();
    watched_ = streams();
  }
  spent_ += std::chrono::steady_clock::now() - started;
}

StateTree TwinLeg::streams() const {
  return snapshot_of(trainer_.session().probes().set().read(is_stream));
}

void TwinLeg::put_back_streams() {
  if (!watched_) return;
  const StateTree now = streams();
  for (const StateEntry& entry : watched_->entries()) {
    const StateEntry* live = now.find(entry.field.path);
    if (live && live->field.digest != entry.field.digest)
      trainer_.session().probes().set().write(entry);
  }
}

void TwinLeg::step() {
  const std::int64_t before = recorder_->completed();
  within([&] {
    for (int i = 0; i < kCallsMax && recorder_->completed() == before; ++i) trainer_.step();
  });
  const std::int64_t made = recorder_->completed() - before;
  steps_ += made;
  if (made == 1) return;
  throw Error(
      ErrorCode::usage,
      made == 0 ? std::to_string(kCallsMax) + " calls of step() ended no step"
                : "one call of step() made " + count_text(static_cast<std::uint64_t>(made), "step"),
      name_, "let step() call begin_step() before its forward and end_step() once, at its end");
}

void TwinLeg::save(const std::string& path) {
  within([&] {
    const StateTree before = streams();
    trainer_.save(path);
    recorder_->saved(path, before, streams());
  });
}

void TwinLeg::restore(const std::string& path) {
  within([&] {
    trainer_.restore(path);
    // Who calls restored() says where the load ended; else it ended here.
    if (!recorder_->was_restored()) recorder_->restored(path);
  });
}

StateTree TwinLeg::snapshot() {
  StateTree now;
  within([&] { now = snapshot_of(trainer_.session().probes().set().read()); });
  return now;
}

LegReport TwinLeg::report() const {
  LegReport report;
  report.name = name_;
  report.seconds = std::chrono::duration<double>(spent_).count();
  report.steps = steps_;
  return report;
}

}  // namespace samestep::libtorch
