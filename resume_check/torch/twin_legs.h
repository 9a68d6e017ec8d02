// TwinLegs: trains the legs of a twin, and keeps what they recorded.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "resume_check/torch/saved_state.h"
#include "resume_check/torch/twin_leg.h"

namespace samestep::libtorch {

/// `factory` and `options` must outlive it.
class TwinLegs {
 public:
  /// Throws Error{failed} when the folder cannot be made.
  TwinLegs(const TwinFactory& factory, const TwinOptions& options);
  /// Removes a temporary folder.
  ~TwinLegs();
  TwinLegs(const TwinLegs&) = delete;
  TwinLegs& operator=(const TwinLegs&) = delete;

  /// The uninterrupted and the resumed leg, a step of one and then of the other; a third one that
  /// is put right, where the mode asks for it.
  void train();
  /// One more resumed leg, by itself.
  std::vector<RankRecord> resume_again(const std::string& name, bool last_only);
  /// The uninterrupted leg once more, from its start, with a checkpoint of its own.
  std::vector<RankRecord> train_again(const std::string& name);

  const std::vector<RankRecord>& uninterrupted() const noexcept { return uninterrupted_; }
  const std::vector<RankRecord>& resumed() const noexcept { return resumed_; }
  const SavedState& saved() const noexcept { return saved_; }
  /// Step by step: of the uninterrupted leg, and of the one that was put right.
  const StepRecords& reference_steps() const noexcept { return reference_steps_; }
  const StepRecords& followed_steps() const noexcept { return followed_steps_; }
  const std::vector<LegReport>& reports() const noexcept { return reports_; }
  const std::set<std::pair<std::string, std::string>>& troubles() const noexcept {
    return troubles_;
  }
  /// Of the uninterrupted leg; empty when it lies in a temporary folder.
  std::string kept_checkpoint() const { return is_temporary_ ? "" : checkpoint_; }

 private:
  LegTask task(const std::string& name, std::int64_t start) const;
  /// Trained up to its checkpoint, which it has saved.
  std::unique_ptr<TwinLeg> first_leg(LegTask task, const std::string& checkpoint) const;
  std::unique_ptr<TwinLeg> resumed_leg(LegTask task) const;
  RankRecord close(const TwinLeg& leg);

  const TwinFactory& factory_;
  const TwinOptions& options_;
  std::string folder_, checkpoint_;
  bool is_temporary_ = false;
  SavedState saved_;
  std::vector<RankRecord> uninterrupted_, resumed_;
  StepRecords reference_steps_, followed_steps_;
  std::vector<LegReport> reports_;
  std::set<std::pair<std::string, std::string>> troubles_;
};

}  // namespace samestep::libtorch
