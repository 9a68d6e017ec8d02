// CaptureRank and CaptureWorld as JSON text (capture.v3 with a summary, else capture.v2; capture.v1
// is read too).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schemas/capture.h"

namespace samestep {

/// Fields must be sorted by path, unique, each with a digest; a summary must count them
/// (SAMESTEP_CHECK).
std::string capture_rank_to_json(const CaptureRank& capture);
std::string capture_world_to_json(const CaptureWorld& world);

/// `where` names the text in messages. Throw Error{corrupt} that names the JSON pointer,
/// Error{limit}.
CaptureRank capture_rank_from_json(std::string_view text, const std::string& where);
CaptureWorld capture_world_from_json(std::string_view text, const std::string& where);

/// The part of a rank's record before its fields; the rest is not looked at. Nothing for a record
/// of another version. Throws as above.
std::optional<CaptureHead> capture_head_from_json(std::string_view text, const std::string& where);

}  // namespace samestep
