// Waivers as JSON text (waivers.v1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/waiver.h"

namespace samestep {

std::string waivers_to_json(const std::vector<Waiver>& waivers);
/// Each needs a field, a reason, an owner and a date. Throws Error{corrupt} that names the JSON
/// pointer, Error{limit}.
std::vector<Waiver> waivers_from_json(std::string_view text, const std::string& where);

}  // namespace samestep
