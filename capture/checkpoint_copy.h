// CheckpointCopy: copies a leg's output folder, as it stands, once the checkpoint in it is whole.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "schemas/plan.h"

namespace samestep {

/// What a look at a checkpoint says.
struct CheckpointLook {
  bool readable = false;
  bool is_complete = true;           ///< nothing of it is damaged or missing
  std::optional<std::int64_t> step;  ///< completed steps, as it says itself
};
using CheckpointLooker = std::function<CheckpointLook(const std::string& path)>;

/// How hard one try tries.
struct CopyEffort {
  bool wait = false;        ///< wait for the rest of the 50 ms that lie between two looks
  bool take_aside = false;  ///< take what was kept aside: there is no later chance
};

/// A checkpoint is whole when exactly one path below `out` matches the plan's glob, its files are
/// at rest (two looks at least 50 ms apart saw the same names, sizes, times and inodes, and so does
/// a look after the copy), and the copy can be opened. One that says another step than the asked
/// one may be an earlier one (an asynchronous writer is late), and one with holes may still grow:
/// it is kept aside and taken only when nothing better came. Without a glob the whole folder must
/// be at rest.
class CheckpointCopy {
 public:
  /// Throws Error{usage} for a bad glob. `looker` must not throw.
  CheckpointCopy(const Plan& plan, CheckpointLooker looker);

  /// Something matches the glob.
  bool is_there() const;
  /// True when the copy stands under plan.copy_to. A failed copy (full disk) throws Error.
  bool attempt(std::int64_t at, const CopyEffort& effort);
  bool is_done() const noexcept { return done_; }

 private:
  /// Of each file: size, modification time, inode.
  using Look = std::map<std::string, std::string>;

  std::optional<std::string> only_match() const;
  Look look_at(const std::string& match) const;
  bool is_at_rest(const std::string& match, bool wait);
  bool copy_now(const std::string& match, std::int64_t at);
  bool accept(const std::string& folder);

  Plan plan_;
  CheckpointLooker looker_;
  Look seen_;
  std::optional<std::int64_t> seen_ms_;  ///< when `seen_` was seen first, monotonic
  Look judged_;                          ///< what the last copy was made of
  bool set_aside_ = false;               ///< a readable copy of another step is kept
  bool done_ = false;
};

/// Opens it with samestep's readers.
CheckpointLook look_at_checkpoint(const std::string& path) noexcept;

}  // namespace samestep
