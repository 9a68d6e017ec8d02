// Shell words: a command line as one text, and as words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace samestep {

/// Splits as a POSIX shell does: blanks part words; '...', "...", $'...' and backslash quote.
/// Nothing is expanded, and operators (; | & < >) are ordinary characters. Throws Error{usage} for
/// a quote that never ends.
std::vector<std::string> shell_words(std::string_view text);
/// A text that a shell, and shell_words, split into `words`. A word with control characters, or
/// bytes that are not UTF-8, takes the form $'...' with \\, \' and \xNN.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace samestep
