#include "resume_check/names.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(Names, PlainNamesForgetCaseAndUnderscores) {
  EXPECT_EQ(plain_name("_growth_tracker"), "growthtracker");
  EXPECT_EQ(plain_name("numUpdates"), "numupdates");
  EXPECT_EQ(plain_name("größe"), "größe");
}

TEST(Names, WordsAreCutAtDotsAndSlashes) {
  const std::vector<std::string> words{"model", "layers", "0", "weight"};
  EXPECT_EQ(name_words(FieldPath("model/layers.0.weight")), words);
  EXPECT_EQ(name_words(FieldPath("model/layers.0.weight#2")), words);
  EXPECT_EQ(common_suffix(words, {"net", "layers", "0", "weight"}), 3u);
  EXPECT_EQ(common_suffix(words, {"weight", "0"}), 0u);
}

TEST(Names, APlaceIsTheFilesOwnIndex) {
  Field field;
  field.path = FieldPath("optimizer.1/state/layers.0.weight/exp_avg");
  EXPECT_EQ(place_in_file(field), "");
  field.source.keys = {{SourceKey::Kind::string, "state"},
                       {SourceKey::Kind::integer, "3"},
                       {SourceKey::Kind::string, "exp_avg"}};
  EXPECT_EQ(place_in_file(field), "optimizer.1/state/3/exp_avg");
  field.source.keys[1] = {SourceKey::Kind::string, "layers.0.weight"};
  EXPECT_EQ(place_in_file(field), "");
}

TEST(Names, AnUnknownComponentMaySayItsKind) {
  EXPECT_TRUE(component_agrees(FieldPath("ema/decay"), FieldPath("ema.1/decay")));
  EXPECT_TRUE(component_agrees(FieldPath("ema/decay"), FieldPath("extra/my_ema/decay")));
  EXPECT_TRUE(component_agrees(FieldPath("grad_scaler/scale"), FieldPath("extra/amp/scale")));
  EXPECT_TRUE(component_agrees(FieldPath("extra/cursor/position"), FieldPath("loop/position")));
  EXPECT_TRUE(component_agrees(FieldPath("loop/step"), FieldPath("extra/step")));
  EXPECT_FALSE(component_agrees(FieldPath("ema/decay"), FieldPath("extra/other/decay")));
  EXPECT_FALSE(component_agrees(FieldPath("extra/cursor/step"), FieldPath("optimizer/step")));
  EXPECT_FALSE(component_agrees(FieldPath("ema/step"), FieldPath("optimizer/step")));
  EXPECT_FALSE(component_agrees(FieldPath("optimizer/state/w/step"), FieldPath("loop/step")));
}

}  // namespace
}  // namespace samestep
