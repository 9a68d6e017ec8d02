// Checks of what an option was given: what is wrong is one short line that names the option.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace samestep {

/// For CLI::Option::transform. Each throws Error{usage} while the command line is parsed; `option`
/// is its name as typed ("--at") and stands as the place.
///
/// A whole number in decimal, within [least, most].
CLI::Validator whole_number(const std::string& option, std::int64_t least, std::int64_t most);
/// A finite number of seconds above zero.
CLI::Validator seconds(const std::string& option);
/// Some text: "" is no answer, and never the same as leaving the option out. `remedy` says what to
/// give.
CLI::Validator some_text(const std::string& option, const std::string& remedy);
/// One of a few names.
CLI::Validator one_of(const std::string& option, const std::vector<std::string>& names);

}  // namespace samestep
