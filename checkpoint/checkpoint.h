// Checkpoint: theirs. Foreign files, read-only, never executed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/formats/document.h"
#include "checkpoint/state_tree.h"

namespace samestep {

/// A checkpoint with canonical names. Tensors stay in the mapped files until somebody streams them.
struct Checkpoint {
  std::string path;
  std::string format;
  StateTree tree;                    ///< every leaf of the document, canonical path, role, source
  std::optional<std::int64_t> step;  ///< completed optimizer steps, as its own counters say
  std::string step_source;           ///< which field said so
  std::vector<std::string> notes;
  std::vector<Problem> problems;  ///< found while reading indexes; `verify_checkpoint` finds more
  std::vector<Extent> extents;
};

/// Opens a file or folder, found by content and not by name. Folders of no known layout are the
/// union of their readable files. Opens nothing outside `path`; follows symlinks only when they
/// stay inside it; opens no FIFO, socket or device. Throws Error{not_found, unreadable, corrupt,
/// unsupported, limit}.
Checkpoint open_checkpoint(const std::string& path);

/// True when `path` (file or folder) looks like something open_checkpoint reads (magic bytes only,
/// never throws).
bool looks_like_checkpoint(const std::string& path) noexcept;

}  // namespace samestep
