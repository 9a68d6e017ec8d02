// NamedErrors: readers name places inside a checkpoint; of two checkpoints, or in a loop over many,
// only the path that was given tells which one it is.
#pragma once

#include <string>
#include <utility>

#include "schemas/error.h"

namespace samestep {

/// `error` with a place that begins with `path`, which it came from: "a.pt, byte 7" of "out/a.pt"
/// is "out/a.pt, byte 7", "b.pt" of the folder "out" is "out/b.pt". One that does so already, or
/// is absolute, is kept.
Error named(const Error& error, const std::string& path);

/// What `read` gives; its Errors are named() after `path`.
template <typename Read>
auto read_named(const std::string& path, Read&& read) {
  try {
    return std::forward<Read>(read)();
  } catch (const Error& error) {
    throw named(error, path);
  }
}

}  // namespace samestep
