// file_reader: one file of any known format, found by content.
#pragma once

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// Reads the file's index; tensors stay where they are. Throws Error{unsupported} for a format that
/// is not known, and what the format's reader throws.
Document read_file(const FileSlice& file);

}  // namespace samestep
