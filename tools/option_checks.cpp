#include "tools/option_checks.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "schemas/error.h"

namespace samestep {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& what,
                         const std::string& remedy) {
  throw Error(ErrorCode::usage, what, option, remedy);
}

std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

// A check that never returns a message: it throws ours, which CLI11 passes on.
template <typename Check>
CLI::Validator thrower(Check check) {
  return CLI::Validator(
      [check](std::string& text) {
        check(text);
        return std::string();
      },
      "");
}

}  // namespace

CLI::Validator whole_number(const std::string& option, std::int64_t least, std::int64_t most) {
  return thrower([=](std::string& text) {
    const std::string at_least = "give " + std::to_string(least) + " or more";
    std::int64_t number = 0;
    const char* const last = text.data() + text.size();
    const auto end = std::from_chars(text.data(), last, number);
    if (end.ptr != last || end.ec == std::errc::invalid_argument) {
      refuse(option, in_quotes(text) + " is no whole number", at_least);
    }
    const bool negative = text.front() == '-';
    const bool outside = end.ec != std::errc();
    if (outside ? negative : number < least) refuse(option, text + " is too small", at_least);
    if (outside || number > most) {
      refuse(option, text + " is too large", "give at most " + std::to_string(most));
    }
    text = std::to_string(number);  // CLI11 takes a leading 0 for octal
  });
}

CLI::Validator seconds(const std::string& option) {
  return thrower([=](std::string& text) {
    double number = 0;
    const char* const last = text.data() + text.size();
    const auto end = std::from_chars(text.data(), last, number);
    if (end.ptr == last && end.ec == std::errc() && std::isfinite(number) && number > 0) return;
    refuse(option, in_quotes(text) + " is no time limit", "give seconds, more than 0");
  });
}

CLI::Validator some_text(const std::string& option, const std::string& remedy) {
  return thrower([=](std::string& text) {
    if (text.find_first_not_of(" \t\r\n") == text.npos) refuse(option, "is empty", remedy);
  });
}

CLI::Validator one_of(const std::string& option, const std::vector<std::string>& names) {
  return thrower([=](std::string& text) {
    if (std::ranges::find(names, text) != names.end()) return;
    std::string choice;
    for (const std::string& name : names) choice += (choice.empty() ? "" : " or ") + name;
    refuse(option, in_quotes(text) + " is none of its names", "give " + choice);
  });
}

}  // namespace samestep
