// A record made beside the training: what it holds, what may change when, and what it leaves when
// it is given up.
#include "capture/background_record.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <thread>

#include "capture/run_reader.h"
#include "checkpoint/files/folder.h"
#include "schemas/check.h"
#include "schemas/error.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/checkpoint/files/limits.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<float> noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> data(count);
  for (float& number : data) number = normal(random);
  return data;
}

/// A field of a trainer: `later` those that only the optimizer changes.
struct Tensor {
  std::string path;
  bool later;
  std::vector<float> data;
  std::vector<std::int64_t> shape, strides;

  Tensor(std::string name, bool is_later, std::size_t count, unsigned seed)
      : path(std::move(name)),
        later(is_later),
        data(noise(count, seed)),
        shape{static_cast<std::int64_t>(count)},
        strides{1} {}

  Field field() const {
    Field field;
    field.path = FieldPath(path);
    field.kind = FieldKind::tensor;
    field.dtype = Dtype::float32;
    field.shape = shape;
    return field;
  }
  TensorView view() const { return view_of(data, Dtype::float32, shape, strides); }
  std::uint64_t bytes() const { return data.size() * sizeof(float); }
  void step() { std::ranges::copy(noise(data.size(), 1000), data.begin()); }
};

/// Short, of several chunks, of several groups of chunks, strided, twice the same.
std::vector<Tensor> some_state() {
  std::vector<Tensor> state;
  state.emplace_back("model/running_mean", false, 512, 1);
  state.emplace_back("model/a", true, 1'000'000, 2);
  state.emplace_back("model/bias", true, 512, 3);
  state.emplace_back("model/crossed", true, 900'000, 4);
  state.back().shape = {3000, 300};
  state.back().strides = {1, 3000};
  state.emplace_back("gradients/a", false, 300'000, 5);
  state.emplace_back("model/b", true, 40'000, 6);
  state.emplace_back("optimizer/state/b/exp_avg", true, 40'000, 6);
  state.emplace_back("rng/torch.cpu", false, 1264, 7);
  return state;
}

class BackgroundRecordTest : public testing::Test {
 protected:
  static std::unique_ptr<StateRecord> full(const RunFolder& run) {
    return std::make_unique<StateRecord>(run, 0, 1, 4, "begin");
  }

  static void add(BackgroundRecord& record, const Tensor& tensor) {
    if (tensor.later) return record.add_later(tensor.field(), tensor.view(), nullptr);
    record.add_now(tensor.field(), *tensor_bytes(tensor.view(), nullptr));
  }

  /// Files of the capture with their bytes.
  static std::map<std::string, std::string> files_of(const RunFolder& run) {
    std::map<std::string, std::string> files;
    for (const Entry& entry : list_folder(run.capture(4)))
      files.emplace(entry.path, file_text(run.capture(4) + "/" + entry.path));
    return files;
  }

  std::map<std::string, std::string> in_the_foreground() const {
    const RunFolder other(folder.path() + "/foreground");
    const auto record = full(other);
    for (const Tensor& tensor : state)
      record->add(tensor.field(), *tensor_bytes(tensor.view(), nullptr));
    record->commit();
    return files_of(other);
  }

  TemporaryFolder folder;
  const RunFolder run{folder.path() + "/run"};
  std::vector<Tensor> state = some_state();
};

class BackgroundRecordOfBudget : public BackgroundRecordTest,
                                 public testing::WithParamInterface<std::uint64_t> {};

TEST_P(BackgroundRecordOfBudget, IsByteForByteTheRecordOfTheForeground) {
  for (const bool started : {false, true}) {
    remove_tree(folder.path() + "/foreground");
    remove_tree(run.root());
    state = some_state();
    const auto expected = in_the_foreground();
    BackgroundRecord record(full(run), GetParam());
    for (Tensor& tensor : state) {
      add(record, tensor);
      if (!tensor.later) tensor.step();  // the forward
    }
    if (started) record.start();
    record.barrier();
    for (Tensor& tensor : state) tensor.step();  // the optimizer
    record.commit({});
    record.finish();
    EXPECT_LE(record.copied_bytes_most(), GetParam());
    EXPECT_EQ(files_of(run), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Budgets, BackgroundRecordOfBudget,
                         testing::Values(0, 1 << 10, 1 << 20, 5 << 20, 256 << 20));

TEST_F(BackgroundRecordTest, TheBarrierCopiesWhatItMayAndLeavesTheRestToTheThread) {
  state = {};
  for (unsigned i = 0; i < 4; ++i)
    state.emplace_back("model/" + std::to_string(i), true, 50'000, i);
  const std::uint64_t one = state[0].bytes();
  for (const std::uint64_t whole : {0, 1, 3, 4}) {
    BackgroundRecord record(full(run), whole * one + one / 2);
    for (const Tensor& tensor : state) add(record, tensor);
    EXPECT_EQ(record.copied_bytes_most(), 0U);
    record.barrier();
    EXPECT_EQ(record.copied_bytes_most(), whole * one) << "no thread had begun to read them";
  }
}

TEST_F(BackgroundRecordTest, CopiesWaitForRoom) {
  state = {};
  for (unsigned i = 0; i < 40; ++i)
    state.emplace_back("rng/" + std::to_string(i), false, 15'000, i);
  const auto expected = in_the_foreground();
  BackgroundRecord record(full(run), 2 * state[0].bytes());
  for (Tensor& tensor : state) {
    add(record, tensor);
    tensor.step();
  }
  record.barrier();
  record.commit({});
  record.finish();
  EXPECT_EQ(record.copied_bytes_most(), 2 * state[0].bytes());
  EXPECT_EQ(files_of(run), expected);
}

TEST_F(BackgroundRecordTest, SettledFieldsAreCountedInTheOrderInWhichTheyCame) {
  BackgroundRecord record(full(run));
  const Tensor small("model/bias", true, 10, 1), large("model/weight", true, 100'000, 2),
      last("model/scale", true, 10, 3);
  add(record, small);
  EXPECT_EQ(record.settle(), 1U);
  add(record, large);
  add(record, last);
  EXPECT_EQ(record.settle(), 1U);
  record.barrier();
  EXPECT_EQ(record.settle(), 3U);
}

TEST_F(BackgroundRecordTest, MemoryIsReleasedInTheThreadThatGaveIt) {
  std::vector<std::thread::id> released;
  {
    BackgroundRecord record(full(run));
    for (const char* path : {"model/a", "model/b"}) {
      const auto tensor = std::make_shared<Tensor>(path, true, 100'000, 1);
      std::shared_ptr<const void> owner(tensor.get(), [&released, tensor](const void*) {
        released.push_back(std::this_thread::get_id());
      });
      record.add_later(tensor->field(), tensor->view(), std::move(owner));
      if (tensor->path == "model/a") {
        EXPECT_THAT(released, IsEmpty());
        record.barrier();
        EXPECT_EQ(released.size(), 1U);
      }
    }
  }
  EXPECT_EQ(released, std::vector(2, std::this_thread::get_id()));
}

/// As a tensor of a device: no memory of the host, read by whom it may.
class OfDevice : public FieldBytes {
 public:
  OfDevice(
      const Tensor& tensor, std::function<void()> at_end = [] {})
      : bytes_(tensor_bytes(tensor.view(), nullptr)), at_end_(std::move(at_end)) {}
  ~OfDevice() override { at_end_(); }
  OfDevice(const OfDevice&) = delete;
  OfDevice& operator=(const OfDevice&) = delete;
  std::uint64_t size() const override { return bytes_->size(); }
  void stream(const ByteSink& sink) const override { bytes_->stream(sink); }

 private:
  FieldBytesPtr bytes_;
  std::function<void()> at_end_;
};

TEST_P(BackgroundRecordOfBudget, OfDevicesIsTheSameRecord) {
  const auto expected = in_the_foreground();
  BackgroundRecord record(full(run), GetParam());
  for (const Tensor& tensor : state) {
    if (tensor.later) {
      record.add_later(tensor.field(), std::make_shared<OfDevice>(tensor));
    } else {
      add(record, tensor);
    }
  }
  record.barrier();
  EXPECT_EQ(record.settle(), 5U);
  for (Tensor& tensor : state) tensor.step();
  record.commit({});
  record.finish();
  EXPECT_EQ(files_of(run), expected);
}

TEST_F(BackgroundRecordTest, WhatReadsADeviceIsReleasedInTheThreadThatGaveIt) {
  for (const std::uint64_t budget : {0, 256 << 20}) {
    std::vector<std::thread::id> released;
    const Tensor tensor("model/a", true, 500'000, 1);
    {
      BackgroundRecord record(full(run), budget);
      const auto note = [&released] { released.push_back(std::this_thread::get_id()); };
      for (const char* path : {"model/a", "model/b"}) {
        Field field = tensor.field();
        field.path = FieldPath(path);
        record.add_later(std::move(field), std::make_shared<OfDevice>(tensor, note));
        if (path == std::string("model/a")) {
          record.start();
          record.barrier();
          EXPECT_EQ(released.size(), 1U) << "the memory may be needed";
        }
      }
    }
    EXPECT_EQ(released, std::vector(2, std::this_thread::get_id()));
    remove_tree(run.root());
  }
}

TEST_F(BackgroundRecordTest, AFieldThatChangedTooEarlyIsNamedAndNothingIsKept) {
  {
    BackgroundRecord record(full(run));
    for (const Tensor& tensor : state) add(record, tensor);
    state[1].step();
    for (int call = 0; call < 2; ++call) {
      try {
        record.barrier();
        FAIL();
      } catch (const Error& error) {
        EXPECT_EQ(error.where(), "model/a");
        EXPECT_THAT(error.what(), HasSubstr("after the optimizer's step"));
      }
    }
    EXPECT_THROW(record.commit({}), Error);
    EXPECT_TRUE(record.is_done());
  }
  EXPECT_THAT(files_of(run), IsEmpty());
}

TEST_F(BackgroundRecordTest, AFieldThatIsSettledMayChange) {
  BackgroundRecord record(full(run), 0);
  add(record, state[1]);
  record.start();
  while (record.settle() == 0) std::this_thread::yield();
  state[1].step();  // it has been read
  EXPECT_NO_THROW(record.barrier());
}

TEST_F(BackgroundRecordTest, AnErrorOfTheThreadIsToldByEachLaterCall) {
  {
    const FileSizeLimit limit(100'000);
    BackgroundRecord record(full(run));
    for (const Tensor& tensor : state) add(record, tensor);
    record.start();
    while (!record.is_done()) std::this_thread::yield();
    EXPECT_THROW(record.settle(), Error);
    EXPECT_THROW(record.barrier(), Error);
    EXPECT_THROW(record.add_now(state[0].field(), *tensor_bytes(state[0].view(), nullptr)), Error);
    EXPECT_THAT(files_of(run), IsEmpty());
  }
  EXPECT_THAT(files_of(run), IsEmpty());
}

TEST_F(BackgroundRecordTest, AnErrorEndsAWaitForRoom) {
  const FileSizeLimit limit(100'000);
  BackgroundRecord record(full(run), 3 * state[1].bytes() / 2);
  const auto bytes = tensor_bytes(state[1].view(), nullptr);
  const auto add_all = [&] {
    for (int i = 0; i < 10; ++i) {
      Field field = state[1].field();
      field.path = FieldPath("model/" + std::to_string(i));
      record.add_now(std::move(field), *bytes);
    }
  };
  EXPECT_THROW(add_all(), Error);
}

TEST_F(BackgroundRecordTest, AnErrorOfTheCommitIsThrownAtTheEnd) {
  BackgroundRecord record(full(run));
  add(record, state[0]);
  record.barrier();
  make_folders(run.manifest(4, 0) + "/in/the/way");
  record.commit({});
  EXPECT_THROW(record.finish(), Error);
}

TEST_F(BackgroundRecordTest, APathThatComesTwiceIsOurFault) {
  BackgroundRecord record(full(run));
  // The thread that writes finds it: whichever call comes next tells it.
  const auto write = [&] {
    add(record, state[0]);
    add(record, state[0]);
    record.barrier();
    record.commit({});
    record.finish();
  };
  EXPECT_THROW(write(), CheckFailure);
}

TEST_F(BackgroundRecordTest, DestroyedBeforeItIsCommittedItLeavesNothing) {
  for (int calls = 0; calls < 5; ++calls) {
    {
      BackgroundRecord record(full(run), 1 << 20);
      if (calls > 0)
        for (const Tensor& tensor : state) add(record, tensor);
      if (calls > 1) record.start();
      if (calls > 2) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      if (calls > 3) record.barrier();
    }
    EXPECT_THAT(files_of(run), IsEmpty()) << calls;
  }
}

TEST_F(BackgroundRecordTest, DestroyedWhileItIsCommittedItIsThereWholeOrNotAtAll) {
  const auto expected = in_the_foreground();
  for (int i = 0; i < 8; ++i) {
    {
      BackgroundRecord record(full(run));
      for (const Tensor& tensor : state) add(record, tensor);
      record.barrier();
      record.commit({});
      std::this_thread::sleep_for(std::chrono::milliseconds(3 * i));
    }
    const auto files = files_of(run);
    EXPECT_TRUE(files.empty() || files == expected) << i;
    remove_tree(run.capture(4));
  }
}

TEST_F(BackgroundRecordTest, AForkedChildLeavesItAlone) {
  const auto expected = in_the_foreground();
  auto record = std::make_unique<BackgroundRecord>(full(run));
  for (const Tensor& tensor : state) add(*record, tensor);
  record->start();
  const pid_t child = ::fork();
  if (child == 0) {
    record.reset();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  record->barrier();
  record->commit({});
  record->finish();
  EXPECT_EQ(files_of(run), expected);
}

TEST_F(BackgroundRecordTest, OnlyAFullRecordHasAnythingToWrite) {
  EXPECT_THROW(BackgroundRecord(std::make_unique<StateRecord>(4, "begin")), CheckFailure);
}

}  // namespace
}  // namespace samestep
