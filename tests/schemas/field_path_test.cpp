#include "schemas/field_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samestep {
namespace {

using ::testing::ElementsAre;

TEST(FieldPathTest, PartsComeBackAsTheyWere) {
  const std::vector<std::vector<std::string>> cases = {
      {"optimizer", "state", "layers.0.weight", "exp_avg"},
      {"extra", "a/b", "~", "~1", "/~0/"},
      {"model", ""},
      {"", ""},
      {"loop", "caf\xC3\xA9"},
      {"loop", "\xFF\xED\xA0\x80"},
      {"loop", "~xff", "~x"},
  };
  for (const auto& parts : cases) EXPECT_EQ(FieldPath::of(parts).parts(), parts);
}

TEST(FieldPathTest, EscapesAsJsonPointerAndKeepsUtf8) {
  EXPECT_EQ(FieldPath::of({"extra", "a/b~c"}).text(), "extra/a~1b~0c");
  EXPECT_EQ(FieldPath::of({"loop", "\xFF"}).text(), "loop/~xff");
}

TEST(FieldPathTest, ComponentLosesItsNumberOnly) {
  EXPECT_EQ(FieldPath("optimizer.1/state").component(), "optimizer.1");
  EXPECT_EQ(FieldPath("optimizer.1/state").component_kind(), "optimizer");
  EXPECT_EQ(FieldPath("lr_scheduler/last_epoch").component_kind(), "lr_scheduler");
  EXPECT_EQ(FieldPath("odd.x/y").component_kind(), "odd.x");
  EXPECT_EQ(FieldPath("odd./y").component_kind(), "odd.");
}

TEST(FieldPathTest, LeafAndAppend) {
  EXPECT_EQ(FieldPath("extra/a~1b").leaf(), "a/b");
  EXPECT_EQ(FieldPath("loop").leaf(), "loop");
  EXPECT_EQ((FieldPath("loop") / "a/b").text(), "loop/a~1b");
  EXPECT_EQ((FieldPath() / "loop").text(), "loop");
  EXPECT_THAT(FieldPath().parts(), ElementsAre());
  EXPECT_TRUE(FieldPath().empty());
}

}  // namespace
}  // namespace samestep
