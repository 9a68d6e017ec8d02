// end_process: the plan is done, and the trainer with it.
#pragma once

#include <string>

namespace samestep {

/// Flushes standard output and ends the process with status 0, without destructors. Ranks of one
/// machine wait for each other a while (10 s): one that ends early breaks collectives that others
/// still finish. `run`: the plan's run folder.
[[noreturn]] void end_process(const std::string& run, int rank, int world_size) noexcept;

}  // namespace samestep
