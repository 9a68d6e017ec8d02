#include "schemas/contracts/state_contracts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "schemas/check.h"

namespace samestep {
namespace {

std::set<std::string> kind_names(std::string_view component) {
  std::set<std::string> names;
  for (const JsonNode& kind : state_contract(component).at("kinds").elements()) {
    names.insert(kind.at("name").as_string());
  }
  return names;
}

TEST(StateContracts, each_is_versioned_and_names_its_component) {
  ASSERT_EQ(state_contract_names().size(), 7u);
  for (const std::string_view name : state_contract_names()) {
    EXPECT_EQ(state_contract(name).at("contract").as_string(), "state_contract.v1") << name;
    EXPECT_EQ(state_contract(name).at("component").as_string(), name);
    EXPECT_FALSE(state_contract(name).at("about").as_string().empty()) << name;
  }
}

TEST(StateContracts, text_is_compiled_in_unchanged) {
  // A semicolon separates list items in CMake, which writes the source.
  const std::string about = state_contract("grad_scaler").at("about").as_string();
  EXPECT_NE(about.find("loss scaler object; fairseq"), std::string::npos) << about;
}

TEST(StateContracts, every_torch_optimizer_and_scheduler_has_one) {
  for (const char* name :
       {"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "SparseAdam", "Muon", "SGD", "RMSprop",
        "Adagrad", "Adadelta", "ASGD", "Rprop", "Adafactor (torch)", "LBFGS"}) {
    EXPECT_EQ(kind_names("optimizer").count(name), 1u) << name;
  }
  for (const char* name : {"SequentialLR", "ChainedScheduler", "ReduceLROnPlateau", "OneCycleLR",
                           "CyclicLR", "CosineAnnealingWarmRestarts", "CosineAnnealingLR",
                           "LinearLR", "PolynomialLR", "ConstantLR", "MultiStepLR", "StepLR",
                           "SWALR", "ExponentialLR", "LambdaLR or MultiplicativeLR"}) {
    EXPECT_EQ(kind_names("lr_scheduler").count(name), 1u) << name;
  }
}

TEST(StateContracts, each_missing_key_has_a_sentence) {
  for (const char* component : {"lr_scheduler", "grad_scaler"}) {
    EXPECT_TRUE(state_contract(component).at("missing").contains("default")) << component;
  }
  EXPECT_TRUE(state_contract("optimizer").at("slot_missing").contains("default"));
  for (const JsonNode& framework : state_contract("loop").at("frameworks").elements()) {
    for (const JsonNode& rule : framework.at("equal").elements()) {
      EXPECT_FALSE(rule.at("why").as_string().empty());
      EXPECT_GE(rule.at("terms").size(), 2u);
    }
  }
}

TEST(StateContracts, an_unknown_component_is_our_mistake) {
  EXPECT_THROW(state_contract("kernel"), CheckFailure);
}

}  // namespace
}  // namespace samestep
