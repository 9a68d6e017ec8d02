#include "checkpoint/contracts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Keys;
using sketch::sample_document;
using sketch::Sketch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> absences(const ContractFindings& findings) {
  std::vector<std::string> what;
  for (const auto& absence : findings.absent) what.push_back(absence.what);
  return what;
}

TEST(Contracts, no_sample_of_a_framework_is_inconsistent_or_warned_of) {
  const std::vector<std::pair<const char*, const char*>> samples{
      {"plain-loop-full", "torch.save zip"},
      {"plain-loop-legacy", "torch.save legacy"},
      {"plain-loop-stateful-dl", "torch.save zip"},
      {"plain-loop-stateful-dl-w0", "torch.save zip"},
      {"lightning-ckpt", "torch.save zip"},
      {"lightning-ckpt-ema", "torch.save zip"},
      {"lightning-ckpt-stateful-dl-rng-callback", "torch.save zip"},
      {"accelerate-seedable", "accelerate folder"},
      {"accelerate-stateful-dl", "accelerate folder"},
      {"dcp-single-rank", "DCP"},
      {"dcp-fsdp2-2rank", "DCP"},
      {"dcp-fsdp2-2rank-async-mp", "DCP"},
      {"hf-trainer-v4", "HF Trainer folder"},
      {"hf-trainer-v5", "HF Trainer folder"},
      {"hf-trainer-only-model-v4", "HF Trainer folder"},
      {"hf-trainer-adafactor-sharded-v5", "HF Trainer folder"},
      {"deepspeed-zero0-fp32", "DeepSpeed folder"},
      {"deepspeed-zero1-bf16-2rank", "DeepSpeed folder"},
      {"deepspeed-zero2-fp32-2rank", "DeepSpeed folder"},
      {"deepspeed-zero3-bf16-2rank", "DeepSpeed folder"},
      {"megatron-torch-dist-1rank", "Megatron torch_dist"},
      {"megatron-torch-dist-2rank", "Megatron torch_dist"},
      {"torch-optim-adafactor", "torch.save zip"},
      {"torch-optim-adam_ams", "torch.save zip"},
      {"torch-optim-adamw", "torch.save zip"},
      {"torch-optim-muon", "torch.save zip"},
      {"torch-optim-rmsprop", "torch.save zip"},
      {"torch-optim-sgd", "torch.save zip"},
  };
  for (const auto& [name, format] : samples) {
    const auto findings = check_contracts(name_document(sample_document(name)), format);
    EXPECT_THAT(findings.problems, IsEmpty()) << name << ": " << findings.problems.front().message;
    EXPECT_THAT(findings.warnings, IsEmpty()) << name << ": " << findings.warnings.front();
  }
}

TEST(Contracts, what_is_no_training_state_is_left_alone) {
  const auto findings =
      check_contracts(Sketch().tensor({"x"}, {3}).integer({"y"}, 1).named(), "npz");
  EXPECT_THAT(findings.absent, IsEmpty());
}

TEST(Contracts, weights_alone_lack_everything_else) {
  const auto findings =
      check_contracts(Sketch().tensor({"a.weight"}, {3, 3}).named(), "torch.save zip");
  EXPECT_THAT(absences(findings),
              ElementsAre("dataloader", "loop", "lr_scheduler", "optimizer", "rng"));
  for (const auto& absence : findings.absent) EXPECT_GT(absence.why.size(), 40u) << absence.what;
}

TEST(Contracts, findings_of_all_parts_come_together) {
  const auto findings = check_contracts(Sketch()
                                            .tensor({"model", "a.weight"}, {3, 3})
                                            .value({"scaler", "scale"}, 2.0)
                                            .integer({"scaler", "growth_interval"}, 2000)
                                            .tensor({"ema", "a.weight"}, {3, 3})
                                            .rng({"rng", "torch"})
                                            .integer({"step"}, 4)
                                            .named(),
                                        "torch.save zip");
  EXPECT_THAT(absences(findings),
              ElementsAre("dataloader", "grad_scaler/_growth_tracker", "grad_scaler/backoff_factor",
                          "grad_scaler/growth_factor", "lr_scheduler", "optimizer", "rng/numpy",
                          "rng/python", "the average's update counter"));
}

}  // namespace
}  // namespace samestep
