#include "checkpoint/files/bus_errors.h"

#include <signal.h>
#include <unistd.h>

#include <string_view>

namespace samestep {
namespace {

constexpr int kCouldNotRun = 2;

// Only async-signal-safe calls.
void on_bus_error(int) {
  constexpr std::string_view kText =
      "samestep: a file became shorter, or its disk failed, while it was being read; "
      "wait until nothing writes to the checkpoint and run again\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(kCouldNotRun);
}

}  // namespace

void report_bus_errors() noexcept {
  struct sigaction action = {};
  action.sa_handler = on_bus_error;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace samestep
