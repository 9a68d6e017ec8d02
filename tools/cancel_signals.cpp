#include "tools/cancel_signals.h"

#include "resume_check/cancel.h"

namespace samestep {
namespace {

void on_signal(int) { request_cancel(); }

// No SA_RESTART: a wait that a signal interrupts looks at the flag. A signal that was ignored from
// the start (nohup) stays ignored.
void install(int number, struct sigaction& previous) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  ::sigaction(number, nullptr, &previous);
  if (previous.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
}

}  // namespace

CancelSignals::CancelSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) install(kSignals[i], previous_[i]);
}

CancelSignals::~CancelSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    ::sigaction(kSignals[i], &previous_[i], nullptr);
}

}  // namespace samestep
