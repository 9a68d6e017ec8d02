#include "capture/checkpoint_copy.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/files/folder.h"

namespace samestep {

// Until the readers are here: it is there.
CheckpointLook look_at_checkpoint(const std::string& path) noexcept {
  return {is_folder(path) || is_regular_file(path), std::nullopt};
}

}  // namespace samestep
