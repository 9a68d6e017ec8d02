#include "capture/torch/optimizer_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/sgd.h>

#include "tests/capture/torch/own_optimizer.h"

namespace samestep::libtorch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::vector<std::string> names_in(const Cell& cell) {
  std::vector<StateEntry> fields;
  cell.read({{"x"}, Role::other, {}}, fields);
  std::vector<std::string> names;
  for (const StateEntry& entry : fields) names.push_back(entry.field.path.text().substr(2));
  return names;
}

TEST(CellsOfAnOptimizer, HaveTheNamesOfPythonsOptimizers) {
  ::torch::optim::AdamOptions adam;
  EXPECT_THAT(names_in(*cell_of_options(adam)),
              ElementsAre("lr", "betas/0", "betas/1", "eps", "weight_decay", "amsgrad"));
  ::torch::optim::LBFGSOptions lbfgs(1.0);
  EXPECT_THAT(names_in(*cell_of_options(lbfgs)), Contains("line_search_fn"));
}

/// State that its base knows nothing of.
struct Derived : ::torch::optim::SGDParamState {
  double extra = 1;
  void serialize(::torch::serialize::OutputArchive& archive) const override {
    archive.write("extra", c10::IValue(extra));
  }
};

TEST(CellsOfAnOptimizer, OfADerivedClassAreWhatItWritesItself) {
  Derived derived;
  EXPECT_THAT(names_in(*cell_of_state(derived)), ElementsAre("extra"));
}

TEST(NewStateOfAnOptimizer, IsThatOfItsOptionsAndNoneForAnotherClass) {
  EXPECT_NE(
      dynamic_cast<::torch::optim::AdamParamState*>(new_state(::torch::optim::AdamOptions()).get()),
      nullptr);
  EXPECT_NE(dynamic_cast<::torch::optim::LBFGSParamState*>(
                new_state(::torch::optim::LBFGSOptions(1.0)).get()),
            nullptr);
  EXPECT_EQ(new_state(LionOptions()), nullptr);
}

}  // namespace
}  // namespace samestep::libtorch
