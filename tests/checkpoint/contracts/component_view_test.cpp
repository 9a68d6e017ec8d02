#include "checkpoint/contracts/component_view.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Sketch;

StateTree two_ranks() {
  return Sketch()
      .in("rng_state_0.pth")
      .rng({"cpu"})
      .in("rng_state_1.pth")
      .rng({"cpu"})
      .in("a.pt")
      .tensor({"a.weight"}, {2, 2})
      .tensor({"a#2"}, {2})
      .named();
}

TEST(ComponentView, copies_of_other_ranks_have_the_path_of_the_first) {
  const StateTree tree = two_ranks();
  const auto views = component_views(tree);
  ASSERT_EQ(views.front().name, "rng");
  ASSERT_EQ(views.front().fields.size(), 2u);
  EXPECT_EQ(views.front().fields[1].parts, std::vector<std::string>{"torch.cpu"});
  EXPECT_EQ(views.front().fields[1].rank, 1);
  EXPECT_EQ(fields_at(views, "rng/torch.cpu").size(), 2u);
}

TEST(ComponentView, finds_by_parts_and_by_pattern) {
  const StateTree tree = Sketch()
                             .scalar({"optimizer", "state", 0, "step"}, 3)
                             .scalar({"optimizer", "state", 1, "step"}, 3)
                             .value({"optimizer", "param_groups", 0, "lr"}, 0.5)
                             .named();
  const auto views = component_views(tree);
  EXPECT_EQ(views.front().kind, "optimizer");
  EXPECT_NE(views.front().find({"param_groups", "0", "lr"}), nullptr);
  EXPECT_EQ(views.front().find({"param_groups", "1", "lr"}), nullptr);
  EXPECT_TRUE(views.front().has_key("state"));
  EXPECT_FALSE(views.front().has_key("lr"));
  EXPECT_EQ(fields_at(views, "optimizer/state/*/step").size(), 2u);
  EXPECT_TRUE(fields_at(views, "optimizer/state/*").empty());
  EXPECT_TRUE(fields_at(views, "").empty());
}

}  // namespace
}  // namespace samestep
