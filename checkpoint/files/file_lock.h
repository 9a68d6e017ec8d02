// FileLock: who works in a folder, and who must not yet.
#pragma once

#include <string>

#include "checkpoint/files/descriptor.h"

namespace samestep {

/// A lock of the system (flock) on a file that is made for it and stays; given back at the end of
/// the object or of the process, however that ends. A child made by fork shares it. Movable.
class FileLock {
 public:
  enum class Kind : unsigned char {
    shared,     ///< any number at a time
    exclusive,  ///< one, and no shared one beside it
  };

  FileLock() = default;
  /// Waits for others at most `wait_ms_max`. Throws Error{failed} that says `busy` when they do not
  /// end by then, and Error when the file cannot be made. Where the file system has no locks, a
  /// shared one is taken for granted and an exclusive one is refused.
  FileLock(const std::string& path, Kind kind, int wait_ms_max, const std::string& busy);

 private:
  Descriptor descriptor_;
};

}  // namespace samestep
