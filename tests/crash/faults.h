// Faults: the system calls that write, counted, and one of them made to go wrong.
#pragma once

namespace samestep {

enum class FaultKind : unsigned char {
  none,
  kill,       ///< the process is killed before the call
  torn,       ///< half of a write is made, then the process is killed
  fail,       ///< the call, and each later write, fails: the disk is full
  halve,      ///< each write writes half of what it is given, and says so
  read_only,  ///< each opening for writing, renaming and removing fails
};

/// From now on counts the calls of open (for writing), write, pwrite, fsync, rename, unlink,
/// ftruncate and copy_file_range; the call number `at` (from 0) goes wrong. The linker sends the
/// calls of our libraries here (--wrap).
void arm_fault(FaultKind kind, int at);
/// Calls counted since.
int calls_counted();

}  // namespace samestep
