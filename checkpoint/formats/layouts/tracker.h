// tracker: the small text file that names the newest checkpoint of a folder (`latest`).
#pragma once

#include <string>

#include "checkpoint/folder.h"

namespace samestep {

/// The word in the file at `path`, without white space around it. Throws Error{corrupt} when it is
/// empty, longer than 256 bytes, or names anything but something directly in the folder (a '/',
/// "..", a control character).
std::string tracked_name(const Folder& folder, const std::string& path);

}  // namespace samestep
