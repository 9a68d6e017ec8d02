// Child: one command run to its end, in a process group of its own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace samestep {

struct ChildRequest {
  std::vector<std::string> argv;  ///< argv[0] is searched in PATH unless it holds a '/'
  std::map<std::string, std::string> environment;  ///< set on top of ours
  std::string log;  ///< standard output and error go here; standard input is empty
  double seconds_max = 3600;
  std::function<void(double)>
      tick;  ///< called about once a second with the seconds so far; may be empty
};

struct ChildEnd {
  int status = 0;  ///< exit status; 128 + signal number when a signal ended it
  double seconds = 0;
  bool timed_out = false;
  bool cancelled = false;
};

/// Runs it in the caller's working folder. When this returns or throws, the child and all processes
/// that it left behind are gone: at the time limit and on cancel_requested() they are asked to end
/// (SIGTERM), then killed. Makes this process the reaper of orphaned descendants while it runs.
/// Throws Error{not_found, failed} when the command cannot be started or the log cannot be made.
ChildEnd run_child(const ChildRequest& request);

}  // namespace samestep
