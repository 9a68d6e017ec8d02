// save and restore: whole, bit for bit, or not at all.
#include "capture/torch/bundle.h"

#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "checkpoint/checkpoint.h"
#include "resume_check/compare.h"
#include "schemas/error.h"
#include "tests/capture/torch/altered.h"
#include "tests/capture/torch/tiny_trainer.h"
#include "tests/support/temporary_folder.h"

namespace samestep::libtorch {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What restore() says when it refuses.
std::string refusal_of(const std::string& path, Probes& probes, const BundleOptions& options = {}) {
  try {
    restore(path, probes, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class Bundles : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_ / "state.samestep";
};

TEST_F(Bundles, ResumeAHundredTimesWithoutAnAlarm) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    TinyTrainer source(adamw_kind(), seed);
    source.steps(3);
    save(path_, source.probes);
    source.steps(3);
    TinyTrainer target(adamw_kind(), seed + 1000);
    restore(path_, target.probes);
    target.steps(3);
    const StateTree one = source.snapshot(), other = target.snapshot();
    ASSERT_EQ(diff_trees(one, other).verdict, Verdict::same) << "seed " << seed;
  }
}

TEST_F(Bundles, AreReadAsACheckpointUnderTheSameNames) {
  TinyTrainer trainer;
  trainer.steps(4);
  save(path_, trainer.probes);
  const Checkpoint checkpoint = open_checkpoint(path_);
  EXPECT_EQ(checkpoint.format, "samestep bundle");
  EXPECT_EQ(checkpoint.step, 4);
  const StateTree live = trainer.snapshot();
  for (const StateEntry& entry : live.entries()) {
    if (entry.field.role == Role::gradient) continue;
    const auto* filed = checkpoint.tree.find(entry.field.path);
    ASSERT_NE(filed, nullptr) << entry.field.path.text();
    EXPECT_EQ(filed->field.role, entry.field.role) << entry.field.path.text();
  }
}

TEST_F(Bundles, OfTheSameStateAreTheSameBytes) {
  TinyTrainer trainer;
  trainer.steps(2);
  save(path_, trainer.probes);
  const std::string other = folder_ / "other.samestep";
  TinyTrainer resumed(adamw_kind(), 5);
  restore(path_, resumed.probes);
  save(other, resumed.probes);
  const auto text = [](const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  EXPECT_EQ(text(path_), text(other));
}

TEST_F(Bundles, RefuseAnotherModelAndNameEachField) {
  TinyTrainer source;
  source.step();
  save(path_, source.probes);
  ::torch::nn::Sequential other(::torch::nn::Linear(4, 6));
  Probes probes;
  probes.watch("model", other);
  const std::string said = refusal_of(path_, probes);
  EXPECT_THAT(said, HasSubstr("model/0.weight: is not in the saved state"));
  EXPECT_THAT(said, HasSubstr("model/first.weight: nothing here has this field"));
}

TEST_F(Bundles, RefuseAnotherShapeAndChangeNothing) {
  TinyTrainer source, target(adamw_kind(), 3);
  source.step();
  save(path_, source.probes);
  target.net->last->bias = target.net->last->register_parameter("extra", at::zeros({5}));
  const StateTree before = target.snapshot();
  EXPECT_THAT(refusal_of(path_, target.probes), HasSubstr("model/last.extra"));
  EXPECT_THAT(differing(before, target.snapshot()), IsEmpty());
}

TEST_F(Bundles, RefuseWeightsThatAreTiedOnOneSideOnly) {
  ::torch::nn::Linear a(3, 3), b(3, 3), c(3, 3), d(3, 3);
  ::torch::nn::Sequential tied(a, b), free_ones(c, d);
  b->weight.set_data(a->weight);
  Probes there, here;
  there.watch("model", tied);
  here.watch("model", free_ones);
  save(path_, there);
  EXPECT_THAT(refusal_of(path_, here),
              HasSubstr("model/1.weight: shares memory with model/0.weight there, and not here"));
  save(path_, here);
  EXPECT_THAT(refusal_of(path_, there),
              HasSubstr("model/1.weight: shares memory with model/0.weight here, and not there"));
}

TEST_F(Bundles, KeepTiedWeightsTied) {
  ::torch::nn::Linear a(3, 3), b(3, 3);
  ::torch::nn::Sequential tied(a, b);
  b->weight.set_data(a->weight);
  Probes probes;
  probes.watch("model", tied);
  save(path_, probes);
  const at::Tensor before = a->weight.detach().clone();
  {
    const c10::AutoGradMode no_grad(false);
    a->weight.zero_();
  }
  restore(path_, probes);
  EXPECT_TRUE(at::equal(a->weight, before));
  EXPECT_EQ(a->weight.data_ptr(), b->weight.data_ptr());
}

TEST_F(Bundles, LeaveOutWhatOtherArchivesHold) {
  TinyTrainer source, target(adamw_kind(), 3);
  source.steps(2);
  const BundleOptions options{{"model", "optimizer"}, false};
  save(path_, source.probes, options);
  EXPECT_THAT(refusal_of(path_, target.probes), HasSubstr("model/first.weight"));
  restore(path_, target.probes, options);
  EXPECT_EQ(target.cursor, 2);
  EXPECT_FALSE(at::equal(target.net->first->weight, source.net->first->weight));
}

TEST_F(Bundles, FindAChangedByteBeforeAnythingIsWritten) {
  TinyTrainer source, target(adamw_kind(), 3);
  source.steps(2);
  save(path_, source.probes);
  const Checkpoint checkpoint = open_checkpoint(path_);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const Extent& extent = checkpoint.extents.front();
  file.seekg(static_cast<std::streamoff>(extent.offset));
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(static_cast<std::streamoff>(extent.offset));
  file.put(byte);
  file.close();
  const StateTree before = target.snapshot();
  EXPECT_THAT(refusal_of(path_, target.probes), HasSubstr("are not those of the recorded digest"));
  EXPECT_THAT(differing(before, target.snapshot()), IsEmpty());
}

TEST_F(Bundles, CutShortAnywhereAreRefused) {
  TinyTrainer source;
  save(path_, source.probes);
  const auto size = std::filesystem::file_size(path_);
  for (std::uintmax_t kept : {size - 1, size - 24, size / 2, std::uintmax_t{20}}) {
    save(path_, source.probes);
    std::filesystem::resize_file(path_, kept);
    EXPECT_NE(refusal_of(path_, source.probes), "") << kept << " bytes";
  }
}

TEST_F(Bundles, OfAnotherRankAreRefused) {
  TinyTrainer trainer;
  Session::Options options;
  options.world_size = 4;
  options.rank = 3;
  Session third(options);
  options.rank = 2;
  Session second(options);
  trainer.watch_all(third.probes());
  trainer.watch_all(second.probes());
  save(path_, third);
  restore(path_, third);
  try {
    restore(path_, second);
    FAIL() << "restored";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is of rank 3 of 4, and this process is rank 2 of 4"));
  }
  EXPECT_THROW(restore(path_, trainer.probes), Error);
}

TEST_F(Bundles, OfAnOptimizerOfAnotherClassAreRefused) {
  // Adam and AdamW have the same fields, and do not do the same with them.
  TinyTrainer source(optimizer_kinds()[2]), target;
  source.step();
  save(path_, source.probes);
  EXPECT_THAT(refusal_of(path_, target.probes),
              HasSubstr("optimizer.class was \"torch::optim::Adam\" and is"));
  const BundleOptions without{{"optimizer"}, false};
  save(path_, source.probes, without);
  EXPECT_EQ(refusal_of(path_, target.probes, without), "");
}

class BundlesElsewhere : public Bundles {
 protected:
  BundlesElsewhere() {
    at::globalContext().setDeterministicAlgorithms(true, false);
    trainer_.step();
    save(path_, trainer_.probes);
    at::globalContext().setDeterministicAlgorithms(false, false);
  }
  std::string said_when(OnOtherContract choice) {
    ::testing::internal::CaptureStderr();
    refusal_ = refusal_of(path_, trainer_.probes, {{}, false, choice});
    return ::testing::internal::GetCapturedStderr();
  }
  TinyTrainer trainer_;
  std::string refusal_;
};

TEST_F(BundlesElsewhere, AreRestoredWithAWarningThatNamesWhatDiffers) {
  EXPECT_THAT(said_when(OnOtherContract::warn),
              HasSubstr("torch.deterministic_algorithms was true and is false"));
  EXPECT_EQ(refusal_, "");
}

TEST_F(BundlesElsewhere, AreRefusedOrTakenInSilenceWhereThatIsAsked) {
  EXPECT_EQ(said_when(OnOtherContract::refuse), "");
  EXPECT_THAT(refusal_, HasSubstr("torch.deterministic_algorithms was true and is false"));
  EXPECT_EQ(said_when(OnOtherContract::ignore), "");
  EXPECT_EQ(refusal_, "");
}

TEST_F(Bundles, OfTheSameProcessSayNothing) {
  TinyTrainer trainer;
  save(path_, trainer.probes);
  ::testing::internal::CaptureStderr();
  restore(path_, trainer.probes);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(Bundles, FaultMatrixEachAlteredFieldIsFoundAndNoOther) {
  TinyTrainer source;
  source.steps(4);
  const StateTree captured = source.snapshot();
  save(path_, source.probes);
  int altered_count = 0, refused = 0;
  for (const StateEntry& entry : captured.entries()) {
    if (entry.field.role == Role::gradient) continue;
    const std::string path = entry.field.path.text();
    TinyTrainer target(adamw_kind(), 8);
    restore(path_, target.probes);
    try {
      target.probes.set().write(altered(entry));
    } catch (const Error& error) {
      // What is fixed at construction cannot be altered at all.
      EXPECT_THAT(error.what(), HasSubstr(path));
      ++refused;
      continue;
    }
    const StateTree resumed = target.snapshot();
    const Report report = diff_trees(captured, resumed);
    std::vector<std::string> found;
    for (const Finding& finding : report.findings)
      if (finding.grade == Grade::confirmed && finding.component.rfind("gradients", 0) != 0)
        found.push_back(finding.field);
    EXPECT_EQ(report.verdict, Verdict::diverged) << path;
    EXPECT_THAT(found, ::testing::ElementsAre(path));
    ++altered_count;
  }
  EXPECT_GT(altered_count, 50);
  EXPECT_EQ(refused, 2);  // step_size and gamma of StepLR
}

TEST_F(Bundles, FaultMatrixEachDroppedFieldIsNamed) {
  TinyTrainer source;
  source.steps(4);
  const StateTree captured = source.snapshot();
  const auto durable = [](const FieldPath& path) { return path.component_kind() != "gradients"; };
  for (const StateEntry& dropped : captured.entries()) {
    if (dropped.field.role == Role::gradient) continue;
    StateTree saved;
    for (const StateEntry& entry : captured.entries())
      if (&entry != &dropped && entry.field.role != Role::gradient) saved.add(entry);
    TinyTrainer target(adamw_kind(), 8);
    target.steps(1);
    std::string said;
    try {
      target.probes.set().restore(saved, "the test", durable);
      said = "restored";
      // A moment or an element of a list may be away; then it must be away here too.
      EXPECT_THAT(differing(captured, target.snapshot()),
                  ::testing::Contains(dropped.field.path.text()));
    } catch (const Error& error) {
      said = error.message();
      EXPECT_THAT(said, HasSubstr(dropped.field.path.text()));
    }
    EXPECT_NE(said, "");
  }
}

}  // namespace
}  // namespace samestep::libtorch
