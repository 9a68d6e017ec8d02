#include "checkpoint/crew.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "checkpoint/signals_blocked.h"

namespace samestep {
namespace {

constexpr unsigned kThreadsMax = 16;

class Job {
 public:
  Job(std::size_t pieces, const std::function<void(std::size_t)>& piece)
      : pieces_(pieces), piece_(piece) {}

  void work() noexcept {
    try {
      for (std::size_t i = next_++; i < pieces_; i = next_++) piece_(i);
    } catch (...) {
      next_ = pieces_;
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void throw_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::size_t pieces_;
  const std::function<void(std::size_t)>& piece_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

unsigned threads_to_use() noexcept {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return std::clamp<unsigned>(static_cast<unsigned>(CPU_COUNT(&allowed)), 1, kThreadsMax);
}

void share_work(std::size_t pieces, unsigned threads,
                const std::function<void(std::size_t)>& piece) {
  Job job(pieces, piece);
  std::vector<std::thread> crew;
  const std::size_t helpers = std::min<std::size_t>(pieces, std::max(threads, 1U));
  crew.reserve(helpers);
  try {
    const SignalsBlocked blocked;
    for (std::size_t i = 1; i < helpers; ++i) crew.emplace_back([&job] { job.work(); });
  } catch (const std::system_error&) {  // a limit of threads: fewer do it
  }
  job.work();
  for (std::thread& helper : crew) helper.join();
  job.throw_failure();
}

}  // namespace samestep
