// Waiver: a difference that somebody accepted, for a reason and for a time (waivers.v1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace samestep {

inline constexpr const char* kWaiversSchema = "waivers.v1";

struct Waiver {
  std::string pattern;  ///< a FieldPath in which '*' stands for any text, also across '/'
  std::string reason;
  std::string owner;    ///< who answers for it; may be empty
  std::string expires;  ///< last day on which it holds, "YYYY-MM-DD" (UTC)
};

/// True when `pattern` matches all of `path`. Takes time linear in both for each '*'.
bool waiver_matches(std::string_view pattern, std::string_view path) noexcept;
/// True for a day of the Gregorian calendar written "YYYY-MM-DD".
bool is_date(std::string_view text) noexcept;
/// True when `today` ("YYYY-MM-DD") lies after the waiver's last day.
bool is_expired(const Waiver& waiver, std::string_view today) noexcept;

}  // namespace samestep
