// Random damage of a tensor: does the digest see it, does the fingerprint?
#pragma once

namespace samestep::bench {

/// `flips` random flips of one bit, and a tenth as many swaps, permutations, shifts and changes of
/// sign of zeros, each undone before the next. Prints one JSON line a kind; true when all were
/// found.
bool detect(int flips);

}  // namespace samestep::bench
