#include "checkpoint/naming/parameter_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samestep {
namespace {

using testing::Each;
using testing::ElementsAre;
using Names = std::vector<std::optional<std::string>>;

const std::vector<ParameterCandidate> kModel{{"a.weight", {4, 3}}, {"a.bias", {4}},
                                             {"norm.weight", {4}}, {"norm.bias", {4}},
                                             {"b.weight", {2, 4}}, {"b.bias", {2}}};

std::vector<NumberedState> states(const std::vector<Shape>& shapes) {
  std::vector<NumberedState> list;
  for (const Shape& shape : shapes) list.push_back({shape, 0, 0});
  return list;
}

std::vector<NumberedState> two_groups(const std::vector<Shape>& decayed,
                                      const std::vector<Shape>& exempt, double decay = 0.1) {
  std::vector<NumberedState> list;
  for (const Shape& shape : decayed) list.push_back({shape, 0, decay});
  for (const Shape& shape : exempt) list.push_back({shape, 1, 0});
  return list;
}

TEST(ParameterOrder, one_group_in_module_order) {
  const auto found = name_states(states({{4, 3}, {4}, {4}, {4}, {2, 4}, {2}}), kModel, true);
  EXPECT_EQ(found.how, "module order");
  EXPECT_THAT(found.names,
              ElementsAre("a.weight", "a.bias", "norm.weight", "norm.bias", "b.weight", "b.bias"));
}

TEST(ParameterOrder, shapes_that_contradict_the_order_name_only_what_is_certain) {
  const auto found = name_states(states({{4}, {4, 3}, {4}, {4}, {2, 4}, {2}}), kModel, true);
  EXPECT_EQ(found.how, "shape");
  EXPECT_THAT(found.names, ElementsAre(std::nullopt, "a.weight", std::nullopt, std::nullopt,
                                       "b.weight", "b.bias"));
}

TEST(ParameterOrder, without_order_only_unique_shapes_are_named) {
  const auto found = name_states(states({{4, 3}, {4}, {4}, {4}, {2, 4}, {2}}), kModel, false);
  EXPECT_EQ(found.how, "shape");
  EXPECT_EQ(found.names[1], std::nullopt);
  EXPECT_EQ(found.names[5], "b.bias");
}

TEST(ParameterOrder, a_shape_that_the_model_lacks_names_nothing) {
  const auto found = name_states(states({{9}, {2}}), kModel, false);
  EXPECT_THAT(found.names, Each(std::nullopt));
  EXPECT_EQ(found.how, "");
}

TEST(ParameterOrder, frozen_parameters_may_be_left_out_where_one_order_fits) {
  const auto one = name_states(states({{4, 3}, {2, 4}, {2}}), kModel, true);
  EXPECT_EQ(one.how, "only fit");
  EXPECT_THAT(one.names, ElementsAre("a.weight", "b.weight", "b.bias"));
  const auto several = name_states(states({{4}, {2}}), kModel, true);
  EXPECT_THAT(several.names, ElementsAre(std::nullopt, "b.bias"));
}

TEST(ParameterOrder, the_usual_split_of_decay_is_taken_where_just_one_fits) {
  const auto biases = name_states(two_groups({{4, 3}, {4}, {2, 4}}, {{4}, {4}, {2}}), kModel, true);
  EXPECT_EQ(biases.how, "group convention");
  EXPECT_THAT(biases.names,
              ElementsAre("a.weight", "norm.weight", "b.weight", "a.bias", "norm.bias", "b.bias"));
  const auto flat = name_states(two_groups({{4, 3}, {2, 4}}, {{4}, {4}, {4}, {2}}), kModel, true);
  EXPECT_THAT(flat.names,
              ElementsAre("a.weight", "b.weight", "a.bias", "norm.weight", "norm.bias", "b.bias"));
}

TEST(ParameterOrder, a_split_that_the_decay_does_not_bear_out_is_not_guessed) {
  const auto found =
      name_states(two_groups({{4, 3}, {4}, {2, 4}}, {{4}, {4}, {2}}, 0), kModel, true);
  EXPECT_NE(found.how, "group convention");
  EXPECT_EQ(found.names[1], std::nullopt);
}

TEST(ParameterOrder, groups_in_turn_are_module_order) {
  auto list = two_groups({{4, 3}, {4}, {4}, {4}}, {{2, 4}, {2}});
  const auto found = name_states(list, kModel, true);
  EXPECT_EQ(found.how, "group convention");
  EXPECT_EQ(found.names[4], "b.weight");
}

TEST(ParameterOrder, what_every_fitting_order_agrees_on_is_named_and_the_rest_has_a_reason) {
  // Frozen: one of a.bias, norm.weight and norm.bias.
  const auto frozen = name_states(states({{4, 3}, {4}, {4}, {2, 4}, {2}}), kModel, true);
  EXPECT_THAT(frozen.names,
              ElementsAre("a.weight", std::nullopt, std::nullopt, "b.weight", "b.bias"));
  EXPECT_EQ(frozen.how, "every order that fits");
  EXPECT_EQ(frozen.why_not, "several orders of the parameters fit their shapes");
}

TEST(ParameterOrder, an_order_narrows_what_shapes_alone_leave_open) {
  // Two of a shape, frozen or not: the order says that the first lies before the second.
  const std::vector<ParameterCandidate> model{{"a", {2}}, {"b", {3}}, {"c", {2}}, {"d", {5}}};
  EXPECT_THAT(name_states(states({{2}, {3}, {2}}), model, true).names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(name_states(states({{3}, {2}}), model, true).names, ElementsAre("b", "c"));
  EXPECT_THAT(name_states(states({{2}, {5}}), model, true).names, ElementsAre(std::nullopt, "d"));
}

TEST(ParameterOrder, two_conventions_that_fit_name_what_both_agree_on) {
  // By biases or by flat shapes: {4, 3} and {2, 4} decay in both; who else does is open.
  const std::vector<ParameterCandidate> model{
      {"a.weight", {4}}, {"a.bias", {4}}, {"b.weight", {4, 4}}, {"b.bias", {2}}};
  const auto found = name_states(two_groups({{4, 4}}, {{4}, {2}}), model, true);
  EXPECT_THAT(found.names, ElementsAre("b.weight", std::nullopt, "b.bias"));
  EXPECT_EQ(found.how, "every order that fits");
}

TEST(ParameterOrder, frozen_parameters_are_left_out_of_each_group) {
  const auto found = name_states(two_groups({{2, 4}}, {{2}}), kModel, true);
  EXPECT_EQ(found.how, "group convention");
  EXPECT_THAT(found.names, ElementsAre("b.weight", "b.bias"));
}

TEST(ParameterOrder, reasons_tell_what_is_missing) {
  EXPECT_EQ(name_states(states({{2}}), {}, true).why_not, "no model lies beside the optimizer");
  EXPECT_EQ(name_states({NumberedState{}}, kModel, true).why_not,
            "its states do not tell the shapes of their parameters");
  EXPECT_EQ(name_states(states({{4}, {2}}), kModel, false).why_not,
            "the model's file keeps no order of its parameters, and several have their shape");
  EXPECT_EQ(name_states(states({{9}}), kModel, true).why_not,
            "no usual order of the model's parameters has their shapes");
  EXPECT_EQ(name_states(states({{2, 4}, {2}}), kModel, true).why_not, "");
}

TEST(ParameterOrder, states_without_shapes_or_a_model_name_nothing) {
  EXPECT_THAT(name_states({NumberedState{}, NumberedState{}}, kModel, true).names,
              ElementsAre(std::nullopt, std::nullopt));
  EXPECT_THAT(name_states(states({{2}}), {}, true).names, ElementsAre(std::nullopt));
}

}  // namespace
}  // namespace samestep
