// accelerate: the folder of `Accelerator.save_state`.
#pragma once

#include <string>

#include "checkpoint/folder.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// True when `at` holds random_states_<rank>.pkl, or a model beside optimizer.bin and what else
/// only accelerate writes.
bool is_accelerate(const Folder& folder, const std::string& at);

/// The union of its files; files of a numbered row that are missing (random states of a rank, a
/// custom checkpoint), and random states that are missing altogether, are problems.
Document read_accelerate(const Folder& folder, const std::string& at);

}  // namespace samestep
