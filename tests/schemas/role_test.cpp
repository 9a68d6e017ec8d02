#include "schemas/role.h"

#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

TEST(RoleTest, RolesAreFrozen) {
  const char* names[] = {"parameter",      "buffer",   "moment",   "step_counter",
                         "hyperparameter", "schedule", "rng",      "cursor",
                         "scaler",         "average",  "gradient", "other"};
  for (unsigned i = 0; i < 12; ++i) {
    EXPECT_EQ(to_string(static_cast<Role>(i)), names[i]);
    EXPECT_EQ(role_from(names[i]), static_cast<Role>(i));
  }
  EXPECT_THROW(role_from("Parameter"), Error);
}

}  // namespace
}  // namespace samestep
