#include "capture/torch/session.h"

#include <exception>

#include "capture/torch/observer.h"
#include "capture/torch/recorder.h"

namespace samestep::libtorch {

Session::Session() : Session(Options{}) {}

Session::Session(const Options& options)
    : options_(options),
      probes_(options.with_default_generators),
      recorder_(Recorder::open(options, probes_)) {}

Session::~Session() {
  if (!recorder_) return;
  try {
    recorder_->exit();
  } catch (const std::exception&) {  // told on standard error; a destructor throws nothing
  }
}

bool Session::begin_step(at::ArrayRef<at::Tensor> batch) {
  if (observer_) observer_->begin(batch);
  return !recorder_ || recorder_->begin(batch);
}

bool Session::end_step() {
  if (observer_) observer_->end();
  return !recorder_ || recorder_->end();
}

Step Session::step(at::ArrayRef<at::Tensor> batch) {
  begin_step(batch);
  return Step(*this);
}

at::Tensor Session::loss(const at::Tensor& loss) {
  if (observer_) observer_->loss(loss);
  if (recorder_) recorder_->loss(loss);
  return loss;
}

at::Tensor Session::forward(const std::string& module, const at::Tensor& output) {
  if (observer_) observer_->forward(module, output);
  if (recorder_) recorder_->forward(module, output);
  return output;
}

void Session::before_optimizer_step() {
  if (recorder_) recorder_->before_optimizer_step();
}

void Session::checkpoint_begins() noexcept {
  if (recorder_) recorder_->checkpoint_begins();
}

void Session::checkpoint_written(const std::string& path) noexcept {
  if (recorder_) recorder_->checkpoint_written(path);
}

void Session::restored(const std::string& path) {
  if (observer_) observer_->restored(path);
  if (recorder_) recorder_->restored(path);
}

Step::Step(Session& session) : session_(session), exceptions_(std::uncaught_exceptions()) {}

Step::~Step() {
  if (std::uncaught_exceptions() > exceptions_) return;
  try {
    session_.end_step();
  } catch (const std::exception&) {  // told on standard error; a destructor throws nothing
  }
}

}  // namespace samestep::libtorch
