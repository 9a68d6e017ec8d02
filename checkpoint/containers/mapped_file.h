// MappedFile: opens one foreign file, read-only, and only when it is a regular file.
#pragma once

#include <string>

#include "checkpoint/containers/file_slice.h"

namespace samestep {

/// Maps the regular file at `path` (symlinks are followed: see Folder for files inside a
/// checkpoint). `name` becomes FileSlice::file. Never opens a FIFO, socket or device, never blocks,
/// takes no lock, changes no access time. Throws Error{not_found, unreadable}. Files up to 64 KiB
/// are read into memory instead of being mapped.
FileSlice map_file(const std::string& path, const std::string& name);

}  // namespace samestep
