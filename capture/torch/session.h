// Session: a C++ trainer under a plan, as the hooks make a Python trainer one. `samestep audit --
// ./trainer ...` sets SAMESTEP_PLAN; without it every call returns at once.
//
//   samestep::libtorch::Session session;           // after all that it watches
//   session.watch("model", model);
//   session.watch("optimizer", optimizer);
//   if (resuming) { load(...); session.restored(path); }
//   for (...) {
//     auto batch = next();
//     auto step = session.step({batch.data, batch.target});   // just before the forward
//     auto loss = ...; step.loss(loss); loss.backward(); optimizer.step(); scheduler.step();
//   }                                               // the step ends with its scope
//   session.checkpoint_written(path);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "capture/torch/probes.h"
#include "capture/torch/process_rank.h"

namespace samestep {
class Session;
}

namespace samestep::libtorch {

class Observer;
class Recorder;
class Step;

/// Not thread-safe but for checkpoint_begins() and checkpoint_written(). Ends the process when the
/// plan is done (standard output flushed, exit status 0). Its own errors go to standard error and
/// into the record; training goes on.
class Session {
 public:
  struct Options {
    /// Negative: as the launcher says in the environment (process_rank.h), else 0 of 1.
    int rank = -1, world_size = -1;
    /// Errors of samestep's own are thrown out of these calls.
    bool rethrow = false;
    /// When the plan is done begin_step() and end_step() return false instead of ending the
    /// process; the trainer then leaves its loop.
    bool return_when_done = false;
    bool with_default_generators = true;
  };

  Session();
  explicit Session(const Options& options);
  /// Records the last boundary where no step has, and closes the record.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Probes::watch.
  template <typename... Args>
  void watch(Args&&... args) {
    probes_.watch(std::forward<Args>(args)...);
  }
  Probes& probes() noexcept { return probes_; }
  const Probes& probes() const noexcept { return probes_; }

  /// As the options say, or the environment.
  ProcessRank rank() const { return process_rank(options_.rank, options_.world_size); }

  /// A plan is being obeyed.
  bool is_recording() const noexcept { return recorder_ != nullptr; }

  /// Just before a forward in training mode, its batch (the tensors that go in) fetched. Called for
  /// each forward: between two end_step() the later ones are micro-batches of the same step. False
  /// when the trainer is to stop.
  bool begin_step(at::ArrayRef<at::Tensor> batch = {});
  /// After the optimizer's step, or the step that a loss scaler skipped, and what belongs to it
  /// (schedule, scaler, average). False when the trainer is to stop.
  bool end_step();
  /// begin_step() now, end_step() when the result goes out of scope (not while an exception does).
  [[nodiscard]] Step step(at::ArrayRef<at::Tensor> batch = {});

  /// Inside a step, where it is traced: the loss before its backward, and the output of a module
  /// ("layers.0"); both give it back, `x = session.forward("head", head(x))`. Nothing else needs a
  /// call: gradients and the optimizer are seen without one.
  at::Tensor loss(const at::Tensor& loss);
  at::Tensor forward(const std::string& module, const at::Tensor& output);

  /// Just before the optimizer's step (the first one, of several in a step), also one that a scaler
  /// may yet skip. Where the plan asks for captures in the background (README.md) it waits until no
  /// parameter and no slot is read any more; else it does nothing. A trainer that never calls it is
  /// captured as well: all is copied at the begin of the step then. Called in one step, it must be
  /// called in the later ones; where it is not, end_step() finds what was changed and drops the
  /// capture.
  void before_optimizer_step();

  /// A checkpoint is about to be written, perhaps by another thread.
  void checkpoint_begins() noexcept;
  /// It lies whole under `path`. In the thread that made the session also what streams and cursors
  /// were, which the next batch may move before its step begins.
  void checkpoint_written(const std::string& path) noexcept;
  /// The trainer has loaded all it loads from `path`: the state as it is now. Whatever differs at
  /// the first step was overwritten after this.
  void restored(const std::string& path);

  /// Every call above is told to `observer` first, until it is null. It must outlive that.
  void observe(Observer* observer) noexcept { observer_ = observer; }

 private:
  Options options_;
  Probes probes_;
  Observer* observer_ = nullptr;
  std::unique_ptr<Recorder> recorder_;
};

/// One step in a scope.
class Step {
 public:
  explicit Step(Session& session);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  at::Tensor loss(const at::Tensor& loss) { return session_.loss(loss); }
  at::Tensor forward(const std::string& module, const at::Tensor& output) {
    return session_.forward(module, output);
  }
  void before_optimizer_step() { session_.before_optimizer_step(); }

 private:
  Session& session_;
  int exceptions_;
};

}  // namespace samestep::libtorch
