// JsonState: a JSON file that holds state (trainer_state.json), as value leaves.
#pragma once

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// One leaf a scalar; an array of more than 64 numbers of one kind is one packed leaf; empty arrays
/// and objects have no leaf. Reads what Python's json module writes (NaN, Infinity). Throws
/// Error{corrupt, limit} with file and offset.
Document read_json_state(const FileSlice& file);

}  // namespace samestep
