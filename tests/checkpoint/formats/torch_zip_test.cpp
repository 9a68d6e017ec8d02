#include "checkpoint/formats/torch_zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemas/error.h"
#include "tests/checkpoint/sample.h"

namespace samestep {
namespace {

using testing::IsEmpty;

/// Attributes that Python's classes make while they load; they are not in the file.
bool is_made_by_loading(const std::string& wrong) {
  return wrong.starts_with("/enum/attr=") ||
         wrong.starts_with("/opt_obj/attr=_zero_grad_profile_name");
}

class GoodTorchZip : public testing::TestWithParam<const char*> {};

TEST_P(GoodTorchZip, HoldsEveryLeafOfTheSample) {
  const std::string name = std::string("handed/") + GetParam();
  const Document document = read_torch_zip(test::sample_file(name, "ckpt.pt"));
  auto wrong = test::wrong_leaves(test::sample_json(name), "ckpt.pt", document);
  std::erase_if(wrong, is_made_by_loading);
  EXPECT_THAT(wrong, IsEmpty());
  EXPECT_THAT(document.problems, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Samples, GoodTorchZip,
    testing::Values("plain-loop-full", "plain-loop-stateful-dl", "plain-loop-stateful-dl-w0",
                    "torch-bare-list", "torch-bare-tensor", "torch-dtypes", "torch-optim-adafactor",
                    "torch-optim-adam_ams", "torch-optim-adamw", "torch-optim-muon",
                    "torch-optim-rmsprop", "torch-optim-sgd", "torch-python-zoo-proto2",
                    "torch-python-zoo-proto4", "torch-quantised", "torch-sparse",
                    "torch-storage-objects", "torch-tensor-attrs", "torch-tied-weights",
                    "torch-views-shared-storage", "torch-whole-module", "torch-zip-align4096",
                    "torch-zip-nocrc", "torch-zip-proto2", "torch-zip-proto4"));

}  // namespace
}  // namespace samestep
