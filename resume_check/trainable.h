// Trainable: the flag "requires_grad" is recorded of frozen parameters alone; where one leg has it
// and the other has the parameter, that one's is true.
#pragma once

#include "capture/run_reader.h"

namespace samestep {

/// Adds the flags, each "<parameter>.requires_grad", that one of the records of a rank lacks.
void complete_flags(RankRecord& uninterrupted, RankRecord& resumed);

}  // namespace samestep
