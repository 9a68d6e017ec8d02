// CancelSignals: while it lives, Ctrl-C, SIGTERM and SIGHUP ask the audit to end its legs and give
// up.
#pragma once

#include <csignal>

namespace samestep {

/// One at a time in a process. The previous handlers come back when it is destroyed.
class CancelSignals {
 public:
  CancelSignals();
  ~CancelSignals();
  CancelSignals(const CancelSignals&) = delete;
  CancelSignals& operator=(const CancelSignals&) = delete;

 private:
  struct sigaction interrupt_ {
  }, terminate_{}, hang_up_{};
};

}  // namespace samestep
