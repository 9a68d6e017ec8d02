#include "capture/torch/torch_contract.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace samestep::libtorch {
namespace {

std::map<std::string, std::string> clauses_of(const Contract& contract) {
  std::map<std::string, std::string> found;
  for (const Clause& clause : contract.clauses) found[clause.name] = clause.value;
  return found;
}

TEST(ContractOfLibtorch, SaysThreadsAndFlagsAsTheyAre) {
  at::globalContext().setDeterministicAlgorithms(true, false);
  const auto with = clauses_of(library_contract(4, {}));
  at::globalContext().setDeterministicAlgorithms(false, false);
  const auto without = clauses_of(library_contract(4, {}));
  EXPECT_EQ(with.at("torch.deterministic_algorithms"), "true");
  EXPECT_EQ(without.at("torch.deterministic_algorithms"), "false");
  EXPECT_EQ(with.at("torch.num_threads"), std::to_string(at::get_num_threads()));
  EXPECT_EQ(with.at("distributed.world_size"), "4");
}

TEST(ContractOfLibtorch, KnowsTheProgramWhereThatIsAsked) {
  EXPECT_FALSE(clauses_of(library_contract(1, {})).contains("program.digest"));
  EXPECT_EQ(clauses_of(torch_contract(1, {})).at("program.digest").size(), 34u);
}

TEST(ContractOfLibtorch, IsSortedByName) {
  const Contract contract = torch_contract(1, {});
  EXPECT_TRUE(std::ranges::is_sorted(contract.clauses, {}, &Clause::name));
}

}  // namespace
}  // namespace samestep::libtorch
