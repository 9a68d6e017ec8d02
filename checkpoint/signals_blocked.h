// SignalsBlocked: threads made meanwhile take no signals.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace samestep {

/// Blocks all signals of the calling thread while it lives. A thread that is made meanwhile
/// inherits that: the trainer's handlers run in the trainer's threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace samestep
