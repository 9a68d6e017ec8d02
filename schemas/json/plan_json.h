// Plan as JSON text (plan.v1).
#pragma once

#include <string>
#include <string_view>

#include "schemas/plan.h"

namespace samestep {

std::string plan_to_json(const Plan& plan);
/// `where` names the text in messages. Throws Error{corrupt} that names the JSON pointer,
/// Error{limit}.
Plan plan_from_json(std::string_view text, const std::string& where);

}  // namespace samestep
