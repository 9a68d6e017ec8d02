#include "capture/torch/optimizer_cells.h"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include "capture/torch/archive_cell.h"
#include "capture/torch/tensor_cell.h"

// Names are those of Python's optimizers; members that libtorch has and Python lacks keep their
// own.
namespace torch::optim {

void samestep_fields(samestep::FieldVisitor& visit, AdamParamState& state) {
  visit("step", state.step())("exp_avg", state.exp_avg())("exp_avg_sq", state.exp_avg_sq());
  visit("max_exp_avg_sq", state.max_exp_avg_sq());
}
void samestep_fields(samestep::FieldVisitor& visit, AdamOptions& options) {
  visit("lr", options.lr())("betas", options.betas())("eps", options.eps());
  visit("weight_decay", options.weight_decay())("amsgrad", options.amsgrad());
}

void samestep_fields(samestep::FieldVisitor& visit, AdamWParamState& state) {
  visit("step", state.step())("exp_avg", state.exp_avg())("exp_avg_sq", state.exp_avg_sq());
  visit("max_exp_avg_sq", state.max_exp_avg_sq());
}
void samestep_fields(samestep::FieldVisitor& visit, AdamWOptions& options) {
  visit("lr", options.lr())("betas", options.betas())("eps", options.eps());
  visit("weight_decay", options.weight_decay())("amsgrad", options.amsgrad());
}

void samestep_fields(samestep::FieldVisitor& visit, SGDParamState& state) {
  visit("momentum_buffer", state.momentum_buffer());
}
void samestep_fields(samestep::FieldVisitor& visit, SGDOptions& options) {
  visit("lr", options.lr())("momentum", options.momentum())("dampening", options.dampening());
  visit("weight_decay", options.weight_decay())("nesterov", options.nesterov());
}

void samestep_fields(samestep::FieldVisitor& visit, RMSpropParamState& state) {
  visit("step", state.step())("square_avg", state.square_avg());
  visit("momentum_buffer", state.momentum_buffer())("grad_avg", state.grad_avg());
}
void samestep_fields(samestep::FieldVisitor& visit, RMSpropOptions& options) {
  visit("lr", options.lr())("alpha", options.alpha())("eps", options.eps());
  visit("weight_decay", options.weight_decay())("momentum", options.momentum());
  visit("centered", options.centered());
}

void samestep_fields(samestep::FieldVisitor& visit, AdagradParamState& state) {
  visit("step", state.step())("sum", state.sum());
}
void samestep_fields(samestep::FieldVisitor& visit, AdagradOptions& options) {
  visit("lr", options.lr())("lr_decay", options.lr_decay());
  visit("weight_decay", options.weight_decay());
  visit("initial_accumulator_value", options.initial_accumulator_value())("eps", options.eps());
}

void samestep_fields(samestep::FieldVisitor& visit, LBFGSParamState& state) {
  visit("func_evals", state.func_evals())("n_iter", state.n_iter())("t", state.t());
  visit("prev_loss", state.prev_loss())("d", state.d())("H_diag", state.H_diag());
  visit("prev_flat_grad", state.prev_flat_grad())("old_dirs", state.old_dirs());
  visit("old_stps", state.old_stps())("ro", state.ro())("al", state.al());
}
void samestep_fields(samestep::FieldVisitor& visit, LBFGSOptions& options) {
  visit("lr", options.lr())("max_iter", options.max_iter())("max_eval", options.max_eval());
  visit("tolerance_grad", options.tolerance_grad());
  visit("tolerance_change", options.tolerance_change());
  visit("history_size", options.history_size())("line_search_fn", options.line_search_fn());
}

}  // namespace torch::optim

namespace samestep::libtorch {
namespace {

namespace optim = ::torch::optim;

template <typename Base, typename... Known>
std::unique_ptr<Cell> cell_of_known(Base& thing) {
  std::unique_ptr<Cell> cell;
  const auto attempt = [&]<typename T>(T* known) {
    if (known) cell = cell_of(*known);
    return known != nullptr;
  };
  // Exactly these: a class derived from one has state that its base knows nothing of.
  const auto exactly = [&]<typename T>(std::type_identity<T>) {
    return typeid(thing) == typeid(T) && attempt(static_cast<T*>(&thing));
  };
  static_cast<void>((exactly(std::type_identity<Known>{}) || ...));
  return cell;
}

template <typename Options, typename State>
std::unique_ptr<optim::OptimizerParamState> state_for(const optim::OptimizerOptions& options) {
  return typeid(options) == typeid(Options) ? std::make_unique<State>() : nullptr;
}

}  // namespace

std::unique_ptr<Cell> cell_of_state(optim::OptimizerParamState& state) {
  auto cell = cell_of_known<optim::OptimizerParamState, optim::AdamParamState,
                            optim::AdamWParamState, optim::SGDParamState, optim::RMSpropParamState,
                            optim::AdagradParamState, optim::LBFGSParamState>(state);
  return cell ? std::move(cell) : archive_cell_of(state);
}

std::unique_ptr<Cell> cell_of_options(optim::OptimizerOptions& options) {
  auto cell = cell_of_known<optim::OptimizerOptions, optim::AdamOptions, optim::AdamWOptions,
                            optim::SGDOptions, optim::RMSpropOptions, optim::AdagradOptions,
                            optim::LBFGSOptions>(options);
  return cell ? std::move(cell) : archive_cell_of(options);
}

std::unique_ptr<optim::OptimizerParamState> new_state(const optim::OptimizerOptions& options) {
  if (auto state = state_for<optim::AdamOptions, optim::AdamParamState>(options)) return state;
  if (auto state = state_for<optim::AdamWOptions, optim::AdamWParamState>(options)) return state;
  if (auto state = state_for<optim::SGDOptions, optim::SGDParamState>(options)) return state;
  if (auto state = state_for<optim::RMSpropOptions, optim::RMSpropParamState>(options))
    return state;
  if (auto state = state_for<optim::AdagradOptions, optim::AdagradParamState>(options))
    return state;
  return state_for<optim::LBFGSOptions, optim::LBFGSParamState>(options);
}

}  // namespace samestep::libtorch
