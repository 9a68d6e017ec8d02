// Glob: the files and folders below a folder whose relative path matches a pattern.
#pragma once

#include <string>
#include <vector>

namespace samestep {

/// Paths relative to `base`, sorted. `pattern` is relative: parts are matched one by one with '*',
/// '?' and '[...]'; a part
/// "**" stands for any number of folders; names that begin with a dot are matched only by a part
/// that begins with one. Links count as what they point to, but "**" does not walk through them. A
/// base that does not exist matches nothing. Throws Error{usage} for a pattern that is empty,
/// absolute, or holds a part "..".
std::vector<std::string> find_matches(const std::string& base, const std::string& pattern);

/// Throws what find_matches throws for such a pattern, before there is a folder to look at.
void check_glob(const std::string& pattern);

}  // namespace samestep
