// A device for tests, in the host's memory: work that a stream is asked for is not done before
// somebody waits for it, and then no more of it than must be. Freed memory is overwritten, in the
// order of the stream on which it was made.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <functional>

namespace samestep::libtorch::stand_in {

/// libtorch's name of it; streams, events and copies are there, other operators run on the host.
inline const c10::Device kDevice{c10::DeviceType::PrivateUse1, 0};

/// Asks the calling thread's stream for `work`.
void ask(std::function<void()> work);
/// Asks it to write `value` to the first float of `tensor`.
void ask_to_write(const at::Tensor& tensor, float value);
/// Pieces of work that nobody has waited for.
std::size_t pending();
/// How often somebody has waited for the stream that threads begin with, by itself.
std::size_t waits_for_the_trainer();
/// Waits for all streams.
void finish();
/// The next `tensors` allocations succeed, others fail as a full device does; -1: all succeed.
void be_full_after(std::ptrdiff_t tensors);

}  // namespace samestep::libtorch::stand_in
