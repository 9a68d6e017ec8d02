#include "capture/torch/scheduler_probe.h"

#include <torch/optim/schedulers/lr_scheduler.h>
#include <torch/optim/schedulers/reduce_on_plateau_scheduler.h>
#include <torch/optim/schedulers/step_lr.h>

#include <algorithm>
#include <array>
#include <utility>

#include "capture/cell_probe.h"
#include "capture/torch/private_member.h"
#include "schemas/check.h"

namespace samestep::libtorch {
namespace {

using ::torch::optim::LRScheduler;
using ::torch::optim::ReduceLROnPlateauScheduler;
using ::torch::optim::StepLR;

}  // namespace

struct StepMembers {
  friend constexpr auto members_of(StepMembers);
};
struct PlateauMembers {
  friend constexpr auto members_of(PlateauMembers);
};

template struct PrivateMembers<StepMembers, &StepLR::step_size_, &StepLR::gamma_>;
template struct PrivateMembers<
    PlateauMembers, &ReduceLROnPlateauScheduler::mode, &ReduceLROnPlateauScheduler::factor,
    &ReduceLROnPlateauScheduler::patience, &ReduceLROnPlateauScheduler::threshold,
    &ReduceLROnPlateauScheduler::threshold_mode, &ReduceLROnPlateauScheduler::cooldown,
    &ReduceLROnPlateauScheduler::cooldown_counter, &ReduceLROnPlateauScheduler::min_lrs,
    &ReduceLROnPlateauScheduler::eps, &ReduceLROnPlateauScheduler::best,
    &ReduceLROnPlateauScheduler::last_epoch, &ReduceLROnPlateauScheduler::num_bad_epochs>;

namespace {

/// A protected member may be named in a derived class.
struct OpenScheduler : LRScheduler {
  static unsigned& step_count(LRScheduler& scheduler) {
    return scheduler.*&OpenScheduler::step_count_;
  }
};

/// A constant of the object: what was saved must be what it is.
template <typename T>
class FixedCell final : public ValueCell {
 public:
  explicit FixedCell(const T& constant) : constant_(constant) {}

 private:
  Value get() const override { return value_of(constant_); }
  bool accepts(const Value& value) const override { return value == get(); }
  void set(const Value&) override {}
  const T& constant_;
};

/// An enum whose values count from 0, by name.
template <typename T, std::size_t Count>
class NameCell final : public ValueCell {
 public:
  using Names = std::array<const char*, Count>;
  NameCell(T& choice, const Names& names) : choice_(choice), names_(names) {}

 private:
  std::size_t index() const { return static_cast<std::size_t>(choice_); }
  Value get() const override {
    SAMESTEP_CHECK(index() < Count);
    return std::string(names_[index()]);
  }
  bool accepts(const Value& value) const override {
    const auto* name = std::get_if<std::string>(&value);
    return name && std::ranges::find(names_, *name) != names_.end();
  }
  void set(const Value& value) override {
    const auto found = std::ranges::find(names_, std::get<std::string>(value));
    choice_ = static_cast<T>(found - names_.begin());
  }
  T& choice_;
  Names names_;
};

constexpr std::array<const char*, 2> kModes{"min", "max"}, kThresholdModes{"rel", "abs"};

template <typename T>
std::unique_ptr<Cell> name_cell(T& choice, const std::array<const char*, 2>& names) {
  return std::make_unique<NameCell<T, 2>>(choice, names);
}

FieldPlace place_of(std::string component) {
  return {{std::move(component)}, Role::schedule, {{"declared", "state_dict"}}};
}

/// A structure, and further fields beside its own.
class JoinedCell final : public Cell {
 public:
  JoinedCell(std::unique_ptr<Cell> base, std::unique_ptr<Cell> own)
      : base_(std::move(base)), own_(std::move(own)) {}

  void read(const FieldPlace& place, std::vector<StateEntry>& fields) const override {
    base_->read(place, fields);
    if (own_) own_->read(place, fields);
  }
  std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const override {
    return part(rest).refusal(rest, entry);
  }
  void write(Rest rest, const StateEntry& entry) override { part(rest).write(rest, entry); }
  bool can_erase(Rest rest) const override { return part(rest).can_erase(rest); }
  void erase(Rest rest) override { part(rest).erase(rest); }

 private:
  static bool is_base(Rest rest) {
    return !rest.empty() &&
           (rest[0] == "last_epoch" || rest[0] == "step_size" || rest[0] == "gamma");
  }
  Cell& part(Rest rest) const { return own_ && !is_base(rest) ? *own_ : *base_; }

  std::unique_ptr<Cell> base_, own_;
};

}  // namespace

std::unique_ptr<Probe> scheduler_probe(std::string component, LRScheduler& scheduler,
                                       std::unique_ptr<Cell> own) {
  FieldVisitor visit;
  visit("last_epoch", OpenScheduler::step_count(scheduler));
  if (auto* step = dynamic_cast<StepLR*>(&scheduler)) {
    const auto [step_size, gamma] = members_of(StepMembers{});
    visit.add("step_size", std::make_unique<FixedCell<unsigned>>(step->*step_size));
    visit.add("gamma", std::make_unique<FixedCell<double>>(step->*gamma));
  }
  return std::make_unique<CellProbe>(place_of(std::move(component)),
                                     std::make_unique<JoinedCell>(visit.take(), std::move(own)));
}

std::unique_ptr<Probe> scheduler_probe(std::string component,
                                       ReduceLROnPlateauScheduler& scheduler) {
  const auto [mode, factor, patience, threshold, threshold_mode, cooldown, cooldown_counter,
              min_lrs, eps, best, last_epoch, num_bad_epochs] = members_of(PlateauMembers{});
  FieldVisitor visit;
  visit("best", scheduler.*best)("num_bad_epochs", scheduler.*num_bad_epochs);
  visit("cooldown_counter", scheduler.*cooldown_counter)("last_epoch", scheduler.*last_epoch);
  visit("factor", scheduler.*factor)("patience", scheduler.*patience)("threshold",
                                                                      scheduler.*threshold);
  visit("cooldown", scheduler.*cooldown)("min_lrs", scheduler.*min_lrs)("eps", scheduler.*eps);
  visit.add("mode", name_cell(scheduler.*mode, kModes));
  visit.add("threshold_mode", name_cell(scheduler.*threshold_mode, kThresholdModes));
  return std::make_unique<CellProbe>(place_of(std::move(component)), visit.take());
}

}  // namespace samestep::libtorch
