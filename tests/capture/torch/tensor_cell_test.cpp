#include "capture/torch/tensor_cell.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/probe_set.h"
#include "schemas/error.h"

namespace samestep::libtorch {
namespace {

using ::testing::HasSubstr;

const FieldPlace kPlace{{"loop", "it"}, Role::other, {}};

StateEntry kept(const at::Tensor& tensor) {
  StateTree tree;
  tree.add(tensor_entry(kPlace, tensor));
  return snapshot_of(tree).entries().front();
}

TEST(TensorsAsFields, AreTheirElementsInOrderWhateverTheirStrides) {
  const at::Tensor whole = at::arange(12, at::kFloat).reshape({3, 4});
  const StateEntry turned = kept(whole.t()), copied = kept(whole.t().contiguous());
  EXPECT_EQ(turned.field.digest, copied.field.digest);
  EXPECT_FALSE(turned.field.layout.strides.empty());
  EXPECT_NE(turned.field.digest, kept(whole).field.digest);
}

TEST(TensorsAsFields, AreWrittenThroughAnyStrides) {
  const at::Tensor whole = at::zeros({4, 3});
  write_tensor(whole.t(), kept(at::arange(12, at::kFloat).reshape({3, 4})));
  EXPECT_TRUE(at::equal(whole.t(), at::arange(12, at::kFloat).reshape({3, 4})));
}

TEST(TensorsAsFields, AreWrittenWithoutARecordForAutograd) {
  const at::Tensor leaf = at::ones({2}).requires_grad_(true);
  write_tensor(leaf, kept(at::zeros({2})));
  EXPECT_TRUE(leaf.is_leaf());
  EXPECT_EQ(leaf.sum().item<float>(), 0);
}

TEST(TensorsAsFields, RefuseAnotherShapeTypeOrKind) {
  const at::Tensor here = at::zeros({2, 3});
  EXPECT_EQ(tensor_refusal(here, kept(at::ones({2, 3}))), std::nullopt);
  EXPECT_EQ(*tensor_refusal(here, kept(at::ones({3, 2}))),
            "is float32 [3, 2] there and float32 [2, 3] here");
  EXPECT_THAT(*tensor_refusal(here, kept(at::ones({2, 3}, at::kDouble))), HasSubstr("float64"));
  EXPECT_THAT(*tensor_refusal(here, value_entry(kPlace, 1.0)), HasSubstr("is no tensor there"));
}

TEST(TensorsAsFields, WithoutMemoryAreRefused) {
  EXPECT_THROW(tensor_entry(kPlace, at::ones({2, 2}).to_sparse()), Error);
  EXPECT_THROW(tensor_entry(kPlace, at::ones({2, 2}, at::kMeta)), Error);
}

TEST(TensorCells, AreMadeWhereThereIsNoneAndTakenAway) {
  at::Tensor tensor;
  TensorCell cell(tensor);
  std::vector<StateEntry> fields;
  cell.read(kPlace, fields);
  EXPECT_TRUE(fields.empty());
  const StateEntry entry = kept(at::ones({2}));
  EXPECT_EQ(cell.refusal({}, entry), std::nullopt);
  cell.write({}, entry);
  EXPECT_TRUE(at::equal(tensor, at::ones({2})));
  EXPECT_TRUE(cell.can_erase({}));
  cell.erase({});
  EXPECT_FALSE(tensor.defined());
}

}  // namespace
}  // namespace samestep::libtorch
