// DescendantReaper: no process that a leg started outlives it, also those that left its process
// group.
#pragma once

#include <sys/types.h>

#include <set>

namespace samestep {

/// While it lives, orphaned descendants become children of this process (Linux subreaper) instead
/// of init's. Children that this process had before are left alone.
class DescendantReaper {
 public:
  DescendantReaper();
  ~DescendantReaper();
  DescendantReaper(const DescendantReaper&) = delete;
  DescendantReaper& operator=(const DescendantReaper&) = delete;

  /// Kills and reaps every child that was not there at construction, until none is left.
  void end_all() const;

 private:
  std::set<pid_t> before_;
  int was_reaper_ = 0;
};

/// Process ids of the children of this process, from /proc; empty where that is not to be had.
std::set<pid_t> children_of_this_process();

}  // namespace samestep
