// DeepSpeed: the folder of `engine.save_checkpoint` (`latest` and `<tag>/`), or one of its tag
// folders. ZeRO 0 to 3.
#pragma once

#include <string>

#include "checkpoint/folder.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// True when `at` holds model or optimizer states under DeepSpeed's names, or `latest` beside
/// folders.
bool is_deepspeed(const Folder& folder, const std::string& at);

/// The tag that `latest` names, or `at` itself. A tag that is not there, and states of ranks that
/// the world size calls for and that are not there, are problems. Throws Error{corrupt} when
/// `latest` leaves the folder.
Document read_deepspeed(const Folder& folder, const std::string& at);

}  // namespace samestep
