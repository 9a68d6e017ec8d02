#include "resume_check/descendants.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace samestep {
namespace {

constexpr int kRoundsMax = 200;

}  // namespace

std::set<pid_t> children_of_this_process() {
  std::set<pid_t> children;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t pid = 0; list >> pid;) children.insert(pid);
  }
  return children;
}

DescendantReaper::DescendantReaper() : before_(children_of_this_process()) {
  prctl(PR_GET_CHILD_SUBREAPER, &was_reaper_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

DescendantReaper::~DescendantReaper() { prctl(PR_SET_CHILD_SUBREAPER, was_reaper_); }

void DescendantReaper::end_all() const {
  for (int round = 0; round < kRoundsMax; ++round) {
    bool any = false;
    for (const pid_t pid : children_of_this_process()) {
      if (before_.contains(pid)) continue;
      any = true;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, WNOHANG);
    }
    if (!any) return;
    usleep(5000);
  }
}

}  // namespace samestep
