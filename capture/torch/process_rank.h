// ProcessRank: which process of a distributed training this is.
#pragma once

namespace samestep::libtorch {

struct ProcessRank {
  int rank = 0, world_size = 1;
};

/// RANK and WORLD_SIZE of the environment, as launchers set them; 0 of 1 without. A number that is
/// given (not negative, or positive) replaces its own.
ProcessRank process_rank(int rank = -1, int world_size = -1);

}  // namespace samestep::libtorch
