#include "capture/native_contract.h"

#include <gmock/gmock.h>
#include <stdlib.h>

namespace samestep {
namespace {

using testing::Contains;
using testing::Field;
using testing::Not;

class NativeContract : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("OMP_NUM_THREADS", "3 \"or\" more", 1);
    ::setenv("MKL_CBWR", "COMPATIBLE", 1);
    ::setenv("SAMESTEP_TEST_SECRET", "do not record", 1);
  }
  void TearDown() override {
    for (const char* name : {"OMP_NUM_THREADS", "MKL_CBWR", "SAMESTEP_TEST_SECRET"})
      ::unsetenv(name);
  }
};

TEST_F(NativeContract, HoldsTheVariablesThatDecideBits) {
  const auto clauses = native_contract().clauses;
  EXPECT_THAT(clauses, Contains(Clause{"env.OMP_NUM_THREADS", R"("3 \"or\" more")"}));
  EXPECT_THAT(clauses, Contains(Clause{"env.MKL_CBWR", R"("COMPATIBLE")"}));
  EXPECT_THAT(clauses, Not(Contains(Field(&Clause::name, "env.SAMESTEP_TEST_SECRET"))));
}

TEST_F(NativeContract, IsSortedAndUniqueAndTheSameAgain) {
  const auto clauses = native_contract().clauses;
  EXPECT_TRUE(std::ranges::is_sorted(clauses, {}, &Clause::name));
  EXPECT_EQ(std::ranges::adjacent_find(clauses, {}, &Clause::name), clauses.end());
  EXPECT_EQ(native_contract().clauses, clauses);
  EXPECT_THAT(clauses, Contains(Field(&Clause::name, "host.hardware_threads")));
}

TEST(MergeContracts, ThePreferredClauseStays) {
  const Contract merged = merge_contracts({{{"b", "1"}, {"c", "1"}}}, {{{"a", "2"}, {"b", "2"}}});
  EXPECT_THAT(merged.clauses,
              testing::ElementsAre(Clause{"a", "2"}, Clause{"b", "1"}, Clause{"c", "1"}));
}

}  // namespace
}  // namespace samestep
