#include <algorithm>

#include "capture/checkpoint_copy.h"
#include "checkpoint/checkpoint.h"

namespace samestep {

CheckpointLook look_at_checkpoint(const std::string& path) noexcept {
  try {
    const Checkpoint checkpoint = open_checkpoint(path);
    const bool is_complete = std::ranges::none_of(checkpoint.problems, [](const Problem& problem) {
      return problem.kind == Problem::Kind::damaged || problem.kind == Problem::Kind::incomplete;
    });
    return {true, is_complete, checkpoint.step};
  } catch (const std::exception&) {  // half written, or of no known format: not whole
    return {};
  }
}

}  // namespace samestep
