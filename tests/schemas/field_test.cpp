#include "schemas/field.h"

#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

TEST(FieldTest, FieldKindsAreFrozen) {
  const char* kinds[] = {"tensor", "value", "opaque"};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(to_string(static_cast<FieldKind>(i)), kinds[i]);
    EXPECT_EQ(field_kind_from(kinds[i]), static_cast<FieldKind>(i));
  }
  EXPECT_THROW(field_kind_from("scalar"), Error);
}

}  // namespace
}  // namespace samestep
