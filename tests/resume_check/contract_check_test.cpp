#include "resume_check/contract_check.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(ContractCheck, EachClauseThatDiffersIsABreach) {
  const Contract before{{{"env.OMP_NUM_THREADS", "\"1\""},
                         {"torch.num_threads", "1"},
                         {"torch.version", "\"2.13.0\""}}};
  const Contract after{{{"torch.num_threads", "2"}, {"torch.version", "\"2.13.0\""}}};
  const auto breaches = breaches_between(before, after, 1);
  ASSERT_EQ(breaches.size(), 2u);
  EXPECT_EQ(breaches[0].field, "plan/env.OMP_NUM_THREADS");
  EXPECT_FALSE(breaches[0].restored.present);
  EXPECT_EQ(breaches[1].field, "plan/torch.num_threads");
  EXPECT_EQ(breaches[1].component, "plan");
  EXPECT_EQ(breaches[1].rank, 1);
  EXPECT_EQ(breaches[1].grade, Grade::warning);
  EXPECT_EQ(breaches[1].kind, FindingKind::breach);
}

TEST(ContractCheck, EachLaunchHasItsOwnPortsAndArguments) {
  const Contract before{{{"env.MASTER_PORT", "1"}, {"script.argv", "[]"}}};
  const Contract after{{{"env.MASTER_PORT", "2"}, {"script.argv", "[1]"}}};
  EXPECT_TRUE(breaches_between(before, after, 0).empty());
}

TEST(ContractCheck, ALoaderThatOnlyOneLegHasIsNoBreach) {
  const Contract before{{{"dataloader.batch_size", "4"}, {"dataloader.num_workers", "2"}}};
  const Contract after{{{"dataloader.1.batch_size", "null"},
                        {"dataloader.batch_size", "4"},
                        {"dataloader.num_workers", "0"}}};
  const auto breaches = breaches_between(before, after, 0);
  ASSERT_EQ(breaches.size(), 1u);
  EXPECT_EQ(breaches[0].field, "plan/dataloader.num_workers");
}

}  // namespace
}  // namespace samestep
