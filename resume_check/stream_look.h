// StreamLook: how the copies of one random stream follow from each other.
#pragma once

#include <cstdint>
#include <optional>

namespace samestep {

/// Counts are of 32-bit draws (of the device's own unit for a CUDA stream); absent where one does
/// not lead to the other, or the state of that kind of generator does not tell.
struct StreamLook {
  bool as_saved = false;  ///< the file holds the stream of the save, and the live one went on
  std::optional<std::uint64_t> since_save;       ///< from the file's to the captured one
  std::optional<std::uint64_t> restored_ahead;   ///< from the captured to the restored one
  std::optional<std::uint64_t> restored_behind;  ///< from the restored to the captured one
  std::optional<std::uint64_t> saved_ahead;      ///< from the file's to the restored one
};

}  // namespace samestep
