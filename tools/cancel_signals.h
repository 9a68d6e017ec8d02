// CancelSignals: while it lives, Ctrl-C and the signals with which terminals and schedulers end or
// warn a job (SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU) ask the audit to end its legs
// and give up.
#pragma once

#include <array>
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
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
  std::array<struct sigaction, kSignals.size()> previous_{};
};

}  // namespace samestep
