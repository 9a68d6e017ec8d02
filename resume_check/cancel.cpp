#include "resume_check/cancel.h"

#include <atomic>

#include "schemas/error.h"

namespace samestep {
namespace {

std::atomic<bool> cancel_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets this flag");

}  // namespace

void request_cancel() noexcept { cancel_flag.store(true); }
bool cancel_requested() noexcept { return cancel_flag.load(); }
void reset_cancel() noexcept { cancel_flag.store(false); }

void throw_if_cancelled(const char* what) {
  if (cancel_requested()) {
    throw Error(ErrorCode::failed, "interrupted, no verdict was reached", what, "run it again");
  }
}

}  // namespace samestep
