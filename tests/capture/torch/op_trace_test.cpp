// What a trace of operators says of those that ran.
#include "capture/torch/op_trace.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <utility>

#include "capture/torch/scalar_type.h"
#include "checkpoint/hasher.h"
#include "resume_check/op_records.h"

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The operators of `work`, as a log would hold them.
std::vector<OpRecord> traced(const std::function<void()>& work) {
  OpTrace::start(OpPhase::optimizer);
  work();
  OpTrace::stop();
  StepLog log;
  for (std::string part = OpTrace::take(); !part.empty(); part = OpTrace::take())
    log.events.push_back({"operators", part});
  const OpRecords records = operators_of(log);
  EXPECT_TRUE(records.traced);
  EXPECT_EQ(records.error, "");
  EXPECT_GT(records.threads, 0);
  return records.operators;
}

/// Of the canonical bytes.
std::string digest_text(const at::Tensor& tensor) {
  const auto dtype = dtype_of(tensor.scalar_type()).value();
  TensorView view{static_cast<const std::byte*>(tensor.const_data_ptr()), dtype,
                  tensor.sizes().vec(), tensor.strides().vec()};
  const auto shape = view.shape;
  return digest_of(*tensor_bytes(std::move(view), nullptr), dtype, shape).root.hex();
}

std::vector<std::string> names(const std::vector<OpRecord>& operators) {
  std::vector<std::string> list;
  for (const OpRecord& op : operators) list.push_back(op.full_name());
  return list;
}

std::vector<std::string> names(const std::vector<OpValue>& values) {
  std::vector<std::string> list;
  for (const OpValue& value : values) list.push_back(value.name);
  return list;
}

std::string digest(const OpValue& value) { return value.digest ? value.digest->hex() : "none"; }

TEST(OpTraceTest, DigestsWhatAnOperatorReadsAndWrites) {
  const at::Tensor a = at::rand({3, 5}), b = at::rand({5});
  at::Tensor sum;
  const auto operators = traced([&] { sum = at::add(a, b, 2); });
  ASSERT_THAT(names(operators), ElementsAre("aten::add.Tensor"));
  const OpRecord& op = operators[0];
  EXPECT_EQ(op.number, 1u);
  EXPECT_EQ(op.phase, "forward");
  ASSERT_THAT(names(op.inputs), ElementsAre("self", "other", "alpha"));
  EXPECT_EQ(digest(op.inputs[0]), digest_text(a));
  EXPECT_EQ(digest(op.inputs[1]), digest_text(b));
  EXPECT_EQ(op.inputs[2].text, "2");
  ASSERT_THAT(names(op.outputs), ElementsAre("output 0"));
  EXPECT_EQ(digest(op.outputs[0]), digest_text(sum));
  EXPECT_EQ(op.outputs[0].dtype, "float32");
  EXPECT_THAT(op.outputs[0].shape, ElementsAre(3, 5));
}

TEST(OpTraceTest, AnInPlaceOperatorIsReadBeforeAndAfter) {
  at::Tensor x = at::rand({4});
  const std::string before = digest_text(x);
  const auto operators = traced([&] {
    x.add_(1);
    at::relu(x);
  });
  ASSERT_THAT(operators, SizeIs(2));
  EXPECT_EQ(digest(operators[0].inputs[0]), before);
  EXPECT_EQ(digest(operators[0].outputs[0]), digest_text(x));
  EXPECT_EQ(digest(operators[1].inputs[0]), digest_text(x));
}

TEST(OpTraceTest, AWriteThroughAnotherTensorIsSeen) {
  at::Tensor x = at::rand({4}).set_requires_grad(true);
  const auto operators = traced([&] {
    at::relu(x);
    x.variable_data().mul_(3);  // has a version counter of its own
    at::relu(x);
    x.detach().slice(0, 1, 3).mul_(3);
    at::relu(x);
  });
  std::vector<std::string> seen;
  for (const OpRecord& op : operators)
    if (op.name == "aten::relu") seen.push_back(digest(op.inputs[0]));
  ASSERT_THAT(seen, SizeIs(3));
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_NE(seen[1], seen[2]);
  EXPECT_EQ(seen[2], digest_text(x));
}

TEST(OpTraceTest, ViewsAreNoOperatorsAndPartsOfResultsAreNotDigestedAgain) {
  const at::Tensor a = at::rand({4, 6});
  const auto operators = traced([&] {
    const at::Tensor twice = at::mul(a, 2);
    at::relu(twice.view({6, 4}).t());
    at::relu(twice.slice(1, 2, 4));
  });
  ASSERT_THAT(names(operators), ElementsAre("aten::mul.Scalar", "aten::relu", "aten::relu"));
  EXPECT_EQ(operators[1].inputs[0].reading, "laid");
  EXPECT_THAT(operators[1].inputs[0].strides, ElementsAre(1, 4));
  EXPECT_EQ(operators[2].inputs[0].reading, "part");
}

TEST(OpTraceTest, APartOfWhatCameFromElsewhereIsDigestedItself) {
  const at::Tensor a = at::rand({4, 6});
  const auto operators = traced([&] { at::relu(a.slice(1, 2, 4)); });
  EXPECT_EQ(digest(operators.at(0).inputs[0]), digest_text(a.slice(1, 2, 4)));
}

TEST(OpTraceTest, ListsAndOptionalArgumentsAreReadElementByElement) {
  std::vector<at::Tensor> all{at::rand({2}), at::rand({2})};
  const at::Tensor rows = at::ones({2, 2}), chosen = at::zeros({1}).to(at::kLong);
  const auto operators = traced([&] {
    at::cat(all);
    at::index(rows, {std::nullopt, chosen});
    at::_foreach_add_(all, 1);
  });
  ASSERT_THAT(operators, SizeIs(3));
  EXPECT_THAT(names(operators[0].inputs), ElementsAre("tensors[0]", "tensors[1]", "dim"));
  EXPECT_THAT(names(operators[1].inputs), ElementsAre("self", "indices[1]"));
  EXPECT_THAT(names(operators[2].outputs), ElementsAre("self[0]", "self[1]"));
  EXPECT_EQ(digest(operators[2].outputs[1]), digest_text(all[1]));
}

TEST(OpTraceTest, MemoryThatNobodyWroteToHasNoDigest) {
  const auto operators = traced([] {
    at::Tensor x = at::empty({3});
    at::relu(x);
    x.fill_(2);
    at::relu(x);
  });
  ASSERT_THAT(names(operators), ElementsAre("aten::relu", "aten::fill_.Scalar", "aten::relu"));
  EXPECT_EQ(operators[0].inputs[0].reading, "unset");
  EXPECT_THAT(names(operators[1].inputs), ElementsAre("value"));
  EXPECT_EQ(operators[2].inputs[0].reading, "whole");
}

TEST(OpTraceTest, AnOperatorsOwnWorkIsPartOfIt) {
  const auto operators = traced([] { at::zeros({3}); });
  EXPECT_THAT(names(operators), ElementsAre("aten::zeros"));
}

TEST(OpTraceTest, WhatIsMadeOfOperatorsIsSeenByThem) {
  const auto operators = traced([] {
    at::linear(at::ones({2, 3}), at::ones({4, 3}), at::ones({4}));
  });
  ASSERT_THAT(names(operators), ::testing::Contains("aten::addmm"));
  EXPECT_THAT(names(operators), ::testing::Not(::testing::Contains("aten::linear")));
  for (const OpRecord& op : operators) {
    if (op.name == "aten::addmm") {
      EXPECT_EQ(op.inside, "aten::linear");
    }
  }
}

TEST(OpTraceTest, ABackwardHasTheModuleOfItsForward) {
  const at::Tensor w = at::ones({3, 3}).set_requires_grad(true), x = at::ones({2, 3});
  const auto operators = traced([&] {
    OpTrace::enter_module("first");
    const at::Tensor hidden = at::mm(x, w);
    OpTrace::leave_module();
    hidden.sum().backward();
    const c10::NoGradGuard no_grad;
    w.variable_data().add_(w.grad(), -0.5);
  });
  std::vector<std::string> backward;
  for (const OpRecord& op : operators)
    if (op.name == "aten::mm") backward.push_back(op.phase + " " + op.module);
  EXPECT_THAT(backward, ElementsAre("forward first", "backward first"));
  EXPECT_EQ(operators.back().phase, "optimizer");
  EXPECT_EQ(operators.back().inputs.back().text, "-0.5");
}

TEST(OpTraceTest, ThreadsOfAutogradAreSeenAndOthersAreNot) {
  const auto operators = traced([] {
    at::ones({1});
    const at::ThreadLocalState state;
    std::thread([&] {
      const at::ThreadLocalStateGuard guard(state);  // as the engine does
      at::zeros({1});
    }).join();
    std::thread([] { at::ones({2}); }).join();
  });
  ASSERT_THAT(names(operators), ElementsAre("aten::ones", "aten::zeros"));
  EXPECT_EQ(operators[0].lane, 0u);
  EXPECT_EQ(operators[1].lane, 1u);
}

TEST(OpTraceTest, AnOperatorThatThrowsLeavesTheNextOnesWhole) {
  const auto operators = traced([] {
    EXPECT_ANY_THROW(at::mm(at::ones({2, 3}), at::ones({2, 3})));
    at::relu(at::ones({2}));
  });
  EXPECT_THAT(names(operators), ::testing::Contains("aten::relu"));
  EXPECT_EQ(operators.back().outputs.size(), 1u);
}

TEST(OpTraceTest, FreedMemoryIsNotTakenForWhatWasThere) {
  std::vector<std::string> expected;
  const auto operators = traced([&] {
    for (int i = 0; i < 50; ++i) {
      const at::Tensor x = at::ones({64}).mul_(i);
      const OpTrace::Pause pause;
      expected.push_back(digest_text(x));
    }
  });
  std::vector<std::string> seen;
  for (const OpRecord& op : operators)
    if (op.name == "aten::mul_") seen.push_back(digest(op.outputs[0]));
  EXPECT_EQ(seen, expected);
}

TEST(OpTraceTest, WhatHasNoStridesIsUnread) {
  const at::Tensor sparse = at::ones({2, 2}).to_sparse();
  const auto operators = traced([&] { sparse.mul(2); });
  ASSERT_FALSE(operators.empty());
  EXPECT_EQ(operators[0].inputs[0].reading, "unread");
}

TEST(OpTraceTest, ItsOwnersOperatorsAreNotSeen) {
  const auto operators = traced([] {
    const OpTrace::Pause pause;
    at::ones({2});
  });
  EXPECT_THAT(operators, IsEmpty());
}

TEST(OpTraceTest, NothingIsSeenAfterItsEndAndATraceCanBeTakenOnce) {
  traced([] { at::ones({2}); });
  at::ones({2});
  EXPECT_EQ(OpTrace::take(), "");
  EXPECT_FALSE(OpTrace::is_on());
}

/// A forward, a backward and an update; all that they leave.
std::string trained() {
  auto generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(5);
  at::Tensor w = at::rand({8, 8}).set_requires_grad(true);
  for (int i = 0; i < 3; ++i) {
    const at::Tensor out = at::dropout(at::relu(at::mm(at::rand({4, 8}), w)), 0.5, true);
    out.sum().backward();
    const c10::NoGradGuard no_grad;
    w.variable_data().add_(w.grad(), -0.1);
    w.mutable_grad().zero_();
  }
  return digest_text(w) + digest_text(w.grad()) + digest_text(generator.get_state());
}

TEST(OpTraceTest, ChangesNothing) {
  const std::string bare = trained();
  std::string watched;
  EXPECT_FALSE(traced([&] { watched = trained(); }).empty());
  EXPECT_EQ(watched, bare);
}

}  // namespace
}  // namespace samestep::libtorch
