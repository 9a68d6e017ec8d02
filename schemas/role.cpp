#include "schemas/role.h"

#include <string>

#include "schemas/error.h"
#include "schemas/names.h"

namespace samestep {
namespace {

constexpr Names<Role, 12> kRoles{{"parameter", "buffer", "moment", "step_counter", "hyperparameter",
                                  "schedule", "rng", "cursor", "scaler", "average", "gradient",
                                  "other"}};

}  // namespace

std::string_view to_string(Role role) noexcept { return kRoles.of(role); }

Role role_from(std::string_view name) {
  if (const auto role = kRoles.find(name)) return *role;
  throw Error(ErrorCode::corrupt, "no role has this name", std::string(name));
}

}  // namespace samestep
