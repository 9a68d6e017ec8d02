// ProcessRank: which process of a distributed training this is.
#pragma once

namespace samestep::libtorch {

struct ProcessRank {
  int rank = 0, world_size = 1;
};

/// As the launcher says in the environment: RANK and WORLD_SIZE (torchrun and its like), else the
/// pairs of Open MPI, of MPICH and Intel MPI, and of a step of Slurm; 0 of 1 without any. A number
/// that is given (not negative, or positive) replaces its own. A process group of the trainer's own
/// is not seen: who numbers its ranks otherwise gives both.
ProcessRank process_rank(int rank = -1, int world_size = -1);

}  // namespace samestep::libtorch
