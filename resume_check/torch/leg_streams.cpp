#include "resume_check/torch/leg_streams.h"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>

#include <mutex>

namespace samestep::libtorch {
namespace {

std::vector<at::Generator> process_generators() {
  std::vector<at::Generator> found{at::detail::getDefaultCPUGenerator()};
  const auto devices = at::hasCUDA() ? at::getNumGPUs() : 0;
  for (std::size_t i = 0; i < devices; ++i)
    found.push_back(at::globalContext().defaultGenerator(
        c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(i))));
  return found;
}

std::vector<at::Tensor> states_now() {
  std::vector<at::Tensor> states;
  for (at::Generator& generator : process_generators()) {
    const std::lock_guard lock(generator.mutex());
    states.push_back(generator.get_state());
  }
  return states;
}

void set_states(const std::vector<at::Tensor>& states) {
  auto generators = process_generators();
  for (std::size_t i = 0; i < generators.size(); ++i) {
    const std::lock_guard lock(generators[i].mutex());
    generators[i].set_state(states[i]);
  }
}

}  // namespace

LegStreams::LegStreams(std::uint64_t seed) {
  for (const at::Generator& generator : process_generators()) {
    at::Generator fresh = generator.clone();
    fresh.set_current_seed(seed);
    states_.push_back(fresh.get_state());
  }
}

LegStreams::Inside::Inside(LegStreams& leg) : leg_(leg), outside_(states_now()) {
  set_states(leg.states_);
}

LegStreams::Inside::~Inside() {
  leg_.states_ = states_now();
  set_states(outside_);
}

}  // namespace samestep::libtorch
