// The C interface of the library samestep_op_trace, which a Python process loads into its own
// libtorch. Functions, constants and structures of C only: nothing of C++ crosses it.
#pragma once

#include <stdint.h>

#if defined(SAMESTEP_OP_TRACE_LIBRARY)
#define SAMESTEP_OP_TRACE_API extern "C" __attribute__((visibility("default")))
#else
#define SAMESTEP_OP_TRACE_API extern "C"
#endif

/// Changes with any change below.
#define SAMESTEP_OP_TRACE_ABI 1

SAMESTEP_OP_TRACE_API int32_t samestep_op_trace_abi(void);
/// The version of the libtorch that it was built for, "2.13.0".
SAMESTEP_OP_TRACE_API const char* samestep_op_trace_torch(void);

/// OpTrace's calls of the same names; phases by the numbers of OpPhase.
SAMESTEP_OP_TRACE_API void samestep_op_trace_start(int32_t after_backward);
SAMESTEP_OP_TRACE_API void samestep_op_trace_stop(void);
SAMESTEP_OP_TRACE_API void samestep_op_trace_pause(void);
SAMESTEP_OP_TRACE_API void samestep_op_trace_resume(void);
SAMESTEP_OP_TRACE_API void samestep_op_trace_enter_phase(int32_t phase);
SAMESTEP_OP_TRACE_API void samestep_op_trace_enter_module(const char* name);
SAMESTEP_OP_TRACE_API void samestep_op_trace_leave_module(void);

/// The next part of the record, ended by a zero; null when all was taken. Valid until the next
/// call.
SAMESTEP_OP_TRACE_API const char* samestep_op_trace_take(void);
