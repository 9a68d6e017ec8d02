#include "capture/torch/op_trace_abi.h"

#include <torch/version.h>

#include <string>

#include "capture/torch/op_trace.h"

using samestep::libtorch::OpPhase;
using samestep::libtorch::OpTrace;

namespace {

OpPhase phase_of(int32_t number) {
  return number >= 0 && number < 3 ? static_cast<OpPhase>(number) : OpPhase::between;
}

}  // namespace

int32_t samestep_op_trace_abi(void) { return SAMESTEP_OP_TRACE_ABI; }
const char* samestep_op_trace_torch(void) { return TORCH_VERSION; }

void samestep_op_trace_start(int32_t after_backward) { OpTrace::start(phase_of(after_backward)); }
void samestep_op_trace_stop(void) { OpTrace::stop(); }
void samestep_op_trace_pause(void) { OpTrace::pause(); }
void samestep_op_trace_resume(void) { OpTrace::resume(); }
void samestep_op_trace_enter_phase(int32_t phase) { OpTrace::enter_phase(phase_of(phase)); }
void samestep_op_trace_enter_module(const char* name) { OpTrace::enter_module(name); }
void samestep_op_trace_leave_module(void) { OpTrace::leave_module(); }

const char* samestep_op_trace_take(void) {
  static std::string text;
  text = OpTrace::take();
  return text.empty() ? nullptr : text.c_str();
}
