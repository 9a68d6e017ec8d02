// nearest: the word that somebody who mistyped one may have meant.
#pragma once

#include <string>
#include <vector>

namespace samestep {

/// The first of `words` with the fewest letters to add, drop, change or swap with a neighbour to
/// get from `word` to it, when those are at most a third of it (and two at most), or which `word`
/// begins with three letters or more of. Empty: none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

}  // namespace samestep
