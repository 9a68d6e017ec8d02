#include "capture/torch/recorder.h"

#include <c10/core/GradMode.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <utility>

#include "capture/end_process.h"
#include "capture/torch/op_trace.h"
#include "capture/torch/process_rank.h"
#include "capture/torch/step_boundaries.h"
#include "capture/torch/tensor_digest.h"
#include "capture/torch/torch_contract.h"
#include "checkpoint/hasher.h"
#include "schemas/error.h"
#include "schemas/json/writer.h"

namespace samestep::libtorch {
namespace {

using Clock = std::chrono::steady_clock;

// Begins well before the capture only tell what moved: logged as far as they cost little.
constexpr std::int64_t kBeginsBefore = 2;
constexpr auto kFreeTime = std::chrono::milliseconds(500);
constexpr int kTimeShare = 20;  // one part in so many

void refuse_impossible(int rank, int world_size) {
  if (rank >= 0 && rank < world_size) return;
  throw Error(ErrorCode::usage,
              "there is no rank " + std::to_string(rank) + " of " + std::to_string(world_size),
              "the launcher's environment",
              "set RANK and WORLD_SIZE both, or Session::Options::rank and world_size");
}

}  // namespace

std::unique_ptr<Recorder> Recorder::open(const Session::Options& options, Probes& probes) {
  const char* plan = std::getenv("SAMESTEP_PLAN");
  if (plan == nullptr || *plan == '\0') return nullptr;
  try {
    const auto [rank, size] = process_rank(options.rank, options.world_size);
    refuse_impossible(rank, size);
    auto session = samestep::Session::open(plan, rank, size);
    if (!session) return nullptr;
    return std::make_unique<Recorder>(std::move(session), options, probes, rank, size);
  } catch (const std::exception& error) {
    std::cerr << "samestep: not recording: " << error.what() << std::endl;
    if (options.rethrow) throw;
    return nullptr;
  }
}

Recorder::Recorder(std::unique_ptr<samestep::Session> session, const Session::Options& options,
                   Probes& probes, int rank, int world_size)
    : session_(std::move(session)),
      options_(options),
      probes_(probes),
      background_(*session_),
      rank_(rank),
      world_size_(world_size),
      began_(Clock::now()) {}

void Recorder::guarded(const char* where, const std::function<void()>& work) {
  const OpTrace::Pause pause;
  const c10::AutoGradMode no_grad(false);
  const auto started = Clock::now();
  on_background([&] { session_->collect_record(false); });
  try {
    work();
  } catch (const std::exception& error) {
    tell(where, error);
  }
  spent_ += Clock::now() - started;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Recorder::tell(const char* where, const std::exception& error) noexcept {
  if (options_.rethrow && !failure_) failure_ = std::current_exception();
  try {
    std::cerr << "samestep: " << where << ": " << error.what() << std::endl;
    session_->event("recorder_error", "{\"where\":" + json_string(where) +
                                          ",\"error\":" + json_string(error.what()) + "}");
  } catch (const std::exception&) {  // the log cannot be written: it was told above
  }
}

void Recorder::on_background(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    captured_at_ = -1;
    tell("capture in the background", error);
  }
}

void Recorder::finish_background(bool wait) {
  on_background([&] { background_.barrier(); });
  if (wait) on_background([&] { session_->collect_record(true); });
}

void Recorder::before_optimizer_step() {
  if (done_) return;
  if (in_step_) background_.rely_on_barrier();
  if (!background_.is_pending()) return;
  guarded("before the optimizer's step", [&] { finish_background(false); });
}

bool Recorder::begin(at::ArrayRef<at::Tensor> batch) {
  if (done_) return false;
  guarded("begin of a step", [&] {
    tell_saves();
    const bool again = in_step_;
    on_background([&] { background_.settle(); });
    if (again && !saved_in_step_) {
      if (traces_ && !batch.empty()) trace("batch", digest_of(batch));
      return;
    }
    in_step_ = true;
    saved_in_step_ = false;
    if (!again) tell_operators();
    obey(session_->at_begin(completed_, again, saves_running_ > 0), batch);
    if (!again && !done_) trace_operators();
  });
  return !done_;
}

void Recorder::obey(const Decision& decision, at::ArrayRef<at::Tensor> batch) {
  traces_ = decision.trace;
  if (decision.record != Depth::none && is_affordable(decision))
    write("begin", decision.record, batch);
  if (traces_ && !batch.empty()) trace("batch", digest_of(batch));
  if (decision.stop) finish();
}

/// From the begin of the step that the plan names to the next begin, or the end of the training.
void Recorder::trace_operators() {
  traces_operators_ = session_->plan().operators_at == total();
  if (traces_operators_) OpTrace::start(OpPhase::optimizer);
}

void Recorder::tell_operators() {
  if (!traces_operators_) return;
  traces_operators_ = false;
  OpTrace::stop();
  for (std::string part = OpTrace::take(); !part.empty(); part = OpTrace::take())
    session_->event("operators", part);
}

bool Recorder::is_affordable(const Decision& decision) const {
  const auto& at = session_->plan().at;
  const bool early = !at || total() < *at - kBeginsBefore;
  if (decision.record == Depth::full || captured_at_ >= 0 || !early) return true;
  return spent_ <= kFreeTime + (Clock::now() - began_) / kTimeShare;
}

void Recorder::write(const std::string& phase, Depth depth, at::ArrayRef<at::Tensor> batch) {
  finish_background(true);
  std::vector<std::string> unread;
  try {
    session_->begin_record(completed_, phase, depth);
    write_fields(depth, batch, unread);
  } catch (...) {
    background_.drop();
    throw;
  }
  for (const std::string& error : unread)
    session_->event("recorder_error", R"({"where":"read","error":)" + json_string(error) + "}");
  if (depth != Depth::full) return;
  captured_at_ = total();
  remember_gradients();
}

void Recorder::write_fields(Depth depth, at::ArrayRef<at::Tensor> batch,
                            std::vector<std::string>& unread) {
  background_.add(probes_.set().read({}, &unread));
  if (!batch.empty()) {
    StateEntry entry = next_batch_entry(batch);
    session_->add_field(std::move(entry.field), *entry.bytes);
  }
  if (depth == Depth::full)
    session_->set_contract(torch_contract(world_size_, probes_.optimizers()));
  if (session_->is_in_background())
    background_.start();
  else
    session_->commit_record();
}

void Recorder::remember_gradients() { dead_gradients_.remember(probes_.gradients()); }

void Recorder::tell_dead_gradients(bool step_ended) {
  const auto dead = dead_gradients_.take(step_ended);
  if (!dead.empty()) session_->dead_gradients(dead);
}

bool Recorder::end() {
  if (done_) return false;
  if (!in_step_) return true;  // no forward: nothing was trained
  guarded("end of a step", [&] {
    finish_background(false);
    tell_saves();
    tell_dead_gradients(true);
    if (traces_) trace_step();
    traces_ = in_step_ = saved_in_step_ = false;
    if (traces_operators_) OpTrace::enter_phase(OpPhase::between);
    ++completed_;
    const Decision decision = session_->at_end(completed_, saves_running_ > 0);
    if (is_last() && !decision.stop) {
      // If training ends here there is no begin to come; one that comes replaces this.
      write("end", Depth::digest, {});
      ended_at_ = completed_;
    }
    if (decision.stop) finish();
  });
  return !done_;
}

bool Recorder::is_last() const {
  const Plan& plan = session_->plan();
  if (plan.leg == "bare") return false;
  if (plan.at) return total() == *plan.at + plan.steps;
  if (captured_at_ >= 0) return total() == captured_at_ + plan.steps;
  return plan.final_only && total() == plan.start + plan.steps;
}

void Recorder::exit() {
  if (done_) return;
  guarded("end of the training", [&] {
    tell_saves();
    const Decision decision = session_->at_exit(completed_);
    if (decision.record != Depth::none && ended_at_ != completed_)
      write("end", decision.record, {});
    close();
  });
}

void Recorder::loss(const at::Tensor& loss) {
  if (done_ || !(traces_ || background_.is_pending())) return;
  guarded("loss", [&] {
    on_background([&] { background_.settle(); });
    if (traces_) trace("loss", digest_of(loss));
  });
}

void Recorder::forward(const std::string& module, const at::Tensor& output) {
  if (done_ || !traces_) return;
  guarded("forward", [&] { trace("forward:" + module, digest_of(output)); });
}

void Recorder::trace(const std::string& phase, const Digest& digest) {
  session_->trace(completed_, phase, digest);
}

void Recorder::trace_step() {
  std::vector<std::string> unread;
  const StateTree now = probes_.set().read({}, &unread);
  for (const auto& [phase, digest] : gradient_phases(now)) trace(phase, digest);
  for (const auto& [phase, digest] : optimizer_phases(now)) trace(phase, digest);
}

void Recorder::checkpoint_written(const std::string& path) noexcept {
  try {
    std::string facts = "{\"call\":" + json_string(path);
    if (std::this_thread::get_id() == thread_ && !done_) facts += save_marks();
    const std::lock_guard lock(saves_mutex_);
    if (saves_running_ > 0) --saves_running_;
    saves_pending_.push_back(std::move(facts));
  } catch (const std::exception&) {  // no memory: the save is seen by its file alone
  }
}

std::string Recorder::save_marks() const {
  const OpTrace::Pause pause;
  const c10::AutoGradMode no_grad(false);
  std::vector<std::string> unread;
  const StateTree now = probes_.set().read(
      [](const FieldPath& path) {
        return path.component_kind() == "rng" || path.component_kind() == "dataloader";
      },
      &unread);
  JsonWriter streams, places;
  streams.object();
  places.object();
  for (const StateEntry& entry : now.entries()) {
    const Digest digest =
        samestep::digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root;
    JsonWriter& marks = entry.field.role == Role::rng ? streams : places;
    marks.key(entry.field.path.text()).string(digest.hex());
  }
  return ",\"after\":" + streams.end().take() + ",\"undeclared\":" + places.end().take();
}

void Recorder::tell_saves() {
  std::vector<std::string> saves;
  {
    const std::lock_guard lock(saves_mutex_);
    saves.swap(saves_pending_);
  }
  for (const std::string& facts : saves) {
    saved_in_step_ = in_step_;
    session_->event("save", facts + ",\"completed\":" + std::to_string(completed_) +
                                ",\"inside\":" + (in_step_ ? "true" : "false") + "}");
  }
}

void Recorder::restored(const std::string& path) {
  if (done_) return;
  guarded("restored", [&] {
    finish_background(false);
    std::vector<std::string> unread;
    const StateTree now = probes_.set().read({}, &unread);
    for (const StateEntry& entry : now.entries()) {
      const auto digest =
          samestep::digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root;
      session_->observe_loaded(entry.field.path, digest, "restored(" + path + ")");
    }
  });
}

void Recorder::finish() {
  close();
  done_ = true;
  if (!options_.return_when_done) end_process(session_->plan().run, rank_, world_size_);
}

void Recorder::close() {
  finish_background(true);
  tell_operators();
  JsonWriter facts;
  facts.object().key("known").array();
  for (const auto& [component, optimizer] : probes_.optimizers()) facts.string(component);
  facts.end().key("stepping").array();
  for (const auto& [component, optimizer] : probes_.optimizers()) facts.string(component);
  session_->event("optimizers", facts.end().end().take());
  session_->close();
}

}  // namespace samestep::libtorch
