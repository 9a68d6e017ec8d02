// File stamps: what tells that a file has been touched, without reading it.
#pragma once

#include <map>
#include <string>

namespace samestep {

/// Of the file `path`, or of all files below the folder `path`: relative name ("" for `path`
/// itself) to size, modification time and inode as text. Links count as what they point to. What
/// vanishes meanwhile is left out; nothing there gives an empty map. Never throws Error.
std::map<std::string, std::string> stamps_below(const std::string& path);

}  // namespace samestep
