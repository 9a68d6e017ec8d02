// Which operators of two legs are the same call.
#pragma once

#include <utility>
#include <vector>

#include "resume_check/op_records.h"

namespace samestep {

/// An operator of the first leg and the one of the second that answers to it; one of them is null
/// where only the other leg ran it.
using OpPair = std::pair<const OpRecord*, const OpRecord*>;

/// Thread by thread (threads answer to each other in the order in which they began), the result in
/// the order in which the first leg's operators ended. Where the legs run other operators for a
/// while (a table that only a new process makes), they are brought together again where both go on
/// alike. References must outlive the result.
std::vector<OpPair> align_operators(const std::vector<OpRecord>& source,
                                    const std::vector<OpRecord>& target);

}  // namespace samestep
