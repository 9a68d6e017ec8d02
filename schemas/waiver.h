// Waiver: a difference that somebody accepted, for a reason and for a time (waivers.v1).
#pragma once

#include <string>
#include <string_view>

namespace samestep {

inline constexpr const char* kWaiversSchema = "waivers.v1";

struct Waiver {
  std::string field;  ///< glob over the field of a finding
  std::string reason;
  std::string owner;    ///< who answers for it
  std::string expires;  ///< last day on which it holds, "YYYY-MM-DD" (UTC)
};

/// True for a day of the Gregorian calendar written "YYYY-MM-DD".
bool is_date(std::string_view text) noexcept;
/// True when `today` ("YYYY-MM-DD") lies after the waiver's last day.
bool is_expired(const Waiver& waiver, std::string_view today) noexcept;

}  // namespace samestep
