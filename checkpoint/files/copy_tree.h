// copy_tree: a folder as it stands, copied.
#pragma once

#include <string>

namespace samestep {

/// Copies what stands below the folder `source` to `target`, which must not exist; its folder must.
/// Modes and modification times are kept (trainers choose the latest file by them); links stay
/// links, and one that points into `source` by an absolute path points into `target`. FIFOs,
/// sockets and devices are left out, and so is a file that vanishes meanwhile. Blocks are shared
/// where the file system can. The copy appears whole: it is made under a temporary name and
/// renamed. Throws Error (full disk, unreadable file) with path and remedy, and leaves nothing
/// then.
void copy_tree(const std::string& source, const std::string& target);

}  // namespace samestep
