// IgnoreList: what differs between two processes and is not durable state. Data, each entry with
// its reason.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schemas/field.h"

namespace samestep {

struct IgnoreRule {
  std::string_view name;      ///< shown in coverage beside the number of fields that it hid
  std::string_view where;     ///< glob over the path
  std::string_view declared;  ///< only fields declared so ("attribute,frame"); empty: any
  std::string_view values;    ///< only such values: "clock" (a real number, or a whole one as large
                              ///< as seconds since 1970), "text", or empty: any
  std::string_view reason;
};

std::span<const IgnoreRule> ignore_list();
/// The first rule that hides a difference of `field`; null when none does. A tensor is never
/// hidden, nor is a small whole number that only has the name of a clock: it counts something.
const IgnoreRule* ignored_by(const Field& field);

/// Shell pattern: '*' any text (also '/'), '?' one character; all else literal. Letters match in
/// either case.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace samestep
