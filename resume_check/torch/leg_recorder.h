// LegRecorder: records one leg of a twin as a run leaves it on disk, and puts back what it is told.
#pragma once

#include <ATen/core/Tensor.h>

#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/run_reader.h"
#include "capture/torch/dead_gradients.h"
#include "capture/torch/observer.h"
#include "resume_check/torch/twin.h"

namespace samestep::libtorch {

/// What a step of the uninterrupted leg was, for a leg that is put right by it.
struct StepReference {
  StateTree begin, end;
  std::map<std::string, std::vector<at::Tensor>> tensors;  ///< by phase, in order
};

/// The boundaries of one step: its log holds a begin, traces, and the end.
using StepRecords = std::vector<StepLog>;

struct LegTask {
  std::string name;
  std::int64_t start = 0;  ///< completed steps when the leg begins
  std::int64_t at = 0;     ///< capture at the begin that follows so many
  std::int64_t steps = 0;  ///< traced after it
  bool last_only = false;  ///< record nothing but the last boundary (a control)
  bool keeps_reference = false;
  TwinMode mode = TwinMode::free_run;      ///< what is put back ...
  const StepReference* follows = nullptr;  ///< ... from this, made by another leg before each step
};

/// Hears a session. Not thread-safe but for gradients. Reads no generator but through the probes.
class LegRecorder final : public Observer {
 public:
  LegRecorder(Session& session, LegTask task);
  ~LegRecorder() override;

  void begin(at::ArrayRef<at::Tensor> batch) override;
  void end() noexcept override;
  void loss(const at::Tensor& loss) override { boundary("loss", loss); }
  void forward(const std::string& module, const at::Tensor& output) override {
    boundary("forward:" + module, output);
  }
  void restored(const std::string& path) override;

  /// The streams of a save on both sides of it, as a recorder tells them.
  void saved(const std::string& path, const StateTree& before, const StateTree& after);
  /// Throws what end() met.
  void rethrow();

  std::int64_t completed() const noexcept { return completed_; }
  bool was_restored() const noexcept { return !record_.log.loaded.empty(); }
  const RankRecord& record() const noexcept { return record_; }
  const StepRecords& steps() const noexcept { return steps_; }
  const StepReference& reference() const noexcept { return reference_; }
  /// What could not be read or put back, and why.
  const std::set<std::pair<std::string, std::string>>& troubles() const noexcept {
    return troubles_;
  }

 private:
  bool is_traced() const {
    return completed_ >= task_.at && completed_ < task_.at + task_.steps && !task_.last_only;
  }
  StateTree read_now();
  void end_step();
  void capture(const StateTree& now, at::ArrayRef<at::Tensor> batch);
  void watch_gradients();
  at::Tensor gradient(const std::string& phase, const at::Tensor& gradient);
  /// The tensor that takes the place of `tensor`; undefined when none does.
  at::Tensor seen(const std::string& phase, const at::Tensor& tensor);
  void boundary(const std::string& phase, const at::Tensor& tensor);
  void put_back(const StateTree& state, const std::string& when);
  void trouble(const std::string& what, const std::string& why) { troubles_.emplace(what, why); }

  Session& session_;
  LegTask task_;
  std::int64_t completed_;
  bool in_step_ = false;
  std::exception_ptr error_;
  RankRecord record_;
  StepRecords steps_;
  StepReference reference_;
  std::map<std::string, std::size_t> met_;  ///< boundaries of this step by phase
  std::mutex mutex_;                        ///< of traces: gradients come in autograd's threads
  DeadGradients dead_gradients_;
  std::vector<std::pair<at::Tensor, unsigned>> hooks_;
  std::set<std::pair<std::string, std::string>> troubles_;
};

}  // namespace samestep::libtorch
