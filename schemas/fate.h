// Fate: what happened to a field between capture, checkpoint and restore (resume_check/fate.h
// decides it).
#pragma once

#include <string_view>

namespace samestep {

/// Pinned, stored by name.
enum class Fate : unsigned char {
  kept = 0,
  rederived = 1,
  missing = 2,
  overwritten = 3,
  not_applied = 4,
  lost_after_save = 5,  ///< overwritten or not_applied, nobody looked just after the load
  dropped = 6,
  miswritten = 7,
  healed = 8,
  extra = 9,
  unwatched = 10,
};

std::string_view to_string(Fate fate) noexcept;
/// Throws Error{corrupt} for a name that is no fate.
Fate fate_from(std::string_view name);
/// One sentence for a person ("in the checkpoint and right after load; another value at the first
/// step").
std::string_view describe(Fate fate) noexcept;

}  // namespace samestep
