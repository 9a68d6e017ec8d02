#include "capture/torch/op_trace.h"

#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "capture/torch/op_trace_shared.h"
#include "capture/torch/op_trace_text.h"

namespace samestep::libtorch {
namespace {

/// This thread's lane in the trace of that number.
struct Mine {
  std::uint64_t number = 0;
  std::shared_ptr<TraceShared> trace;
  std::shared_ptr<Lane> lane;
  int pauses = 0;
};
thread_local Mine mine;

std::mutex trace_mutex;
std::shared_ptr<TraceShared> current;  ///< under way, or the last one
std::atomic<std::uint64_t> number_of_trace{0};
std::atomic<bool> is_under_way{false};
at::CallbackHandle function_handle = at::INVALID_CALLBACK_HANDLE,
                   backward_handle = at::INVALID_CALLBACK_HANDLE;
std::size_t taken = 0;

Lane* lane_of_this_thread() {
  if (!is_under_way.load(std::memory_order_acquire)) return nullptr;
  const std::uint64_t number = number_of_trace.load(std::memory_order_acquire);
  if (mine.lane && mine.number == number) return mine.lane.get();
  const std::lock_guard lock(trace_mutex);
  mine.number = number;
  mine.trace = current;
  mine.lane = current->lanes.emplace_back(std::make_shared<Lane>(*current));
  return mine.lane.get();
}

void tell(const char* error) noexcept {
  is_under_way.store(false);
  const std::lock_guard lock(trace_mutex);
  try {
    if (current && current->error.empty()) current->error = error;
  } catch (const std::exception&) {  // no memory: the record ends here
  }
}

/// Nothing reaches the operator: the first error ends the trace.
template <typename Work>
void guarded(const Work& work) noexcept {
  try {
    work();
  } catch (const std::exception& error) {
    tell(error.what());
  } catch (...) {
    tell("an unknown error");
  }
}

template <typename Work>
void with_lane(const Work& work) noexcept {
  guarded([&] {
    if (Lane* lane = lane_of_this_thread()) work(*lane);
  });
}

/// Of operators, that is: not of ours.
template <typename Work>
void unless_paused(const Work& work) noexcept {
  if (mine.pauses == 0) with_lane(work);
}

std::unique_ptr<at::ObserverContext> begin_function(const at::RecordFunction& function) {
  unless_paused([&](Lane& lane) { lane.begin(function); });
  return nullptr;
}

void end_function(const at::RecordFunction& function, at::ObserverContext*) {
  unless_paused([&](Lane& lane) { lane.end(function); });
}

std::unique_ptr<at::ObserverContext> begin_backward(const at::RecordFunction& function) {
  unless_paused([&](Lane& lane) { lane.begin_backward(function); });
  return nullptr;
}

void end_backward(const at::RecordFunction&, at::ObserverContext*) {
  unless_paused([](Lane& lane) { lane.end_backward(); });
}

}  // namespace

void OpTrace::start(OpPhase after_backward) noexcept {
  stop();
  guarded([&] {
    auto made = std::make_shared<TraceShared>();
    made->after_backward = after_backward;
    made->threads = at::get_num_threads();
    {
      const std::lock_guard lock(trace_mutex);
      current = std::move(made);
      taken = 0;
      ++number_of_trace;
    }
    using Callback = at::RecordFunctionCallback;
    function_handle = at::addThreadLocalCallback(Callback(begin_function, end_function)
                                                     .needsInputs(true)
                                                     .needsOutputs(true)
                                                     .scopes({at::RecordScope::FUNCTION}));
    // Without inputs: holding gradients would keep autograd from moving them.
    backward_handle = at::addThreadLocalCallback(
        Callback(begin_backward, end_backward).scopes({at::RecordScope::BACKWARD_FUNCTION}));
    is_under_way.store(true, std::memory_order_release);
  });
}

void OpTrace::stop() noexcept {
  is_under_way.store(false);
  guarded([] {
    for (auto* handle : {&function_handle, &backward_handle}) {
      if (*handle != at::INVALID_CALLBACK_HANDLE) at::removeCallback(*handle);
      *handle = at::INVALID_CALLBACK_HANDLE;
    }
    mine.lane.reset();
    mine.trace.reset();
  });
}

bool OpTrace::is_on() noexcept { return is_under_way.load(); }

void OpTrace::enter_phase(OpPhase phase) noexcept {
  with_lane([&](Lane& lane) {
    const std::lock_guard lock(lane.mutex);
    lane.phase = phase;
  });
}

void OpTrace::enter_module(std::string_view name) noexcept {
  with_lane([&](Lane& lane) {
    const std::int32_t number = mine.trace->number_of_module(name);
    const std::lock_guard lock(lane.mutex);
    lane.modules.push_back(number);
  });
}

void OpTrace::leave_module() noexcept {
  with_lane([](Lane& lane) {
    const std::lock_guard lock(lane.mutex);
    if (!lane.modules.empty()) lane.modules.pop_back();
  });
}

void OpTrace::pause() noexcept { ++mine.pauses; }
void OpTrace::resume() noexcept { --mine.pauses; }

std::string OpTrace::take() noexcept {
  std::string text;
  guarded([&] {
    const std::lock_guard lock(trace_mutex);
    if (!current || is_under_way.load()) return;
    text = next_part(*current, taken);
    if (text.empty()) current.reset();
  });
  return text;
}

}  // namespace samestep::libtorch
