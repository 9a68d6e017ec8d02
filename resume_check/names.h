// Names: how two names of one thing may differ between a live trainer and a private checkpoint.
#pragma once

#include <string>
#include <vector>

#include "schemas/field.h"

namespace samestep {

/// Lower case, letters and digits only: "_growth_tracker" and "growthTracker" are "growthtracker".
std::string plain_name(std::string_view name);

/// The words of a path, plain, parts split at '.', '/' and after the last '#': what suffixes are
/// compared by.
std::vector<std::string> name_words(const FieldPath& path);

/// The index form of an optimizer slot ("optimizer/state/3/exp_avg") as the file's own keys tell
/// it; empty when the file keys slots by name, or the field is no slot.
std::string place_in_file(const Field& field);

/// How many trailing words are equal; 0 when not even the last one is.
std::size_t common_suffix(const std::vector<std::string>& source,
                          const std::vector<std::string>& target);

/// True when `filed` may be of the component of `live`: the same kind, both of the loop's variables
/// and other objects (a checkpoint does not tell these apart), or a component that naming
/// could not tell and whose parts say the kind ("extra/my_ema/decay" for "ema/decay").
bool component_agrees(const FieldPath& live, const FieldPath& filed);

}  // namespace samestep
