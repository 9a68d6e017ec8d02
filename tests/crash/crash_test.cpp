// A writer dies, or its disk is full, at each of its system calls in turn: what a reader then finds
// is the state before or the state after, never a mixture, and never a damaged one.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <random>

#include "capture/background_record.h"
#include "capture/prune.h"
#include "capture/run_folder.h"
#include "capture/run_reader.h"
#include "capture/session.h"
#include "capture/state_record.h"
#include "checkpoint/files/copy_tree.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/whole_file.h"
#include "faults.h"
#include "schemas/error.h"
#include "schemas/json/plan_json.h"
#include "tests/capture/recorded_tensor.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

constexpr int kDone = 0, kError = 3, kCallsMax = 1000;

struct Outcome {
  bool was_killed = false;
  bool was_refused = false;  ///< an Error was thrown
};

/// Runs `work` in a child with the fault armed. An exception that is no Error is a failure of the
/// test.
Outcome run_with(FaultKind kind, int at, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = kDone;
    arm_fault(kind, at);
    try {
      work();
    } catch (const Error&) {
      status = kError;
    } catch (...) {
      status = 1;
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == kDone || WEXITSTATUS(status) == kError)
      << status;
  return {WIFSIGNALED(status), WIFEXITED(status) && WEXITSTATUS(status) == kError};
}

int calls_of(const std::function<void()>& work) {
  arm_fault(FaultKind::none, 0);
  work();
  return calls_counted();
}

class CrashTest : public testing::TestWithParam<FaultKind> {
 protected:
  /// `prepare` makes a fresh state, `work` writes, `check` looks at what is left; for each call of
  /// `work` in turn.
  void at_each_call(const std::function<void()>& prepare, const std::function<void()>& work,
                    const std::function<void(const Outcome&)>& check) {
    prepare();
    const int calls = calls_of(work);
    ASSERT_GT(calls, 2);
    ASSERT_LT(calls, kCallsMax);
    for (int call = 0; call < calls; ++call) {
      SCOPED_TRACE("call " + std::to_string(call) + " of " + std::to_string(calls));
      prepare();
      check(run_with(GetParam(), call, work));
    }
  }

  void start_again() {
    remove_tree(root);
    make_folders(root);
  }

  TemporaryFolder folder;
  const std::string root = folder / "root";
};

TEST_P(CrashTest, AWholeFileIsTheOldOneOrTheNewOne) {
  const std::string path = root + "/file", before(100, 'a'), after(3'000'000, 'b');
  at_each_call(
      [&] {
        start_again();
        put_file(path, before);
      },
      [&] {
        WholeFile file(path);
        file.write(after.substr(0, 10));
        file.write(after.substr(10));
        file.commit();
      },
      [&](const Outcome& outcome) {
        const std::string text = file_text(path);
        EXPECT_TRUE(text == before || text == after);
        for (const Entry& entry : list_folder(root)) {
          EXPECT_TRUE(entry.path == "file" || is_unfinished_name(entry.path)) << entry.path;
        }
        if (!outcome.was_killed) {
          EXPECT_EQ(list_folder(root).size(), 1U);
        }
      });
}

TEST_P(CrashTest, ACopyOfAFolderIsThereOrNot) {
  at_each_call(
      [&] {
        start_again();
        make_folders(root + "/source/inner");
        put_file(root + "/source/a", "hello");
        put_file(root + "/source/inner/b", std::string(100'000, 'x'));
      },
      [&] { copy_tree(root + "/source", root + "/target"); },
      [&](const Outcome& outcome) {
        if (is_folder(root + "/target")) {
          EXPECT_EQ(file_text(root + "/target/a"), "hello");
          EXPECT_EQ(file_text(root + "/target/inner/b").size(), 100'000U);
        }
        if (outcome.was_refused) {
          EXPECT_EQ(list_folder(root).size(), 1U);
        }
      });
}

/// Captures of a run in `root`: each holds one field that stays and one that moves with `step`.
class CaptureCrashTest : public CrashTest {
 protected:
  CaptureCrashTest() {
    std::mt19937 random(5);
    for (std::byte& byte : kept_) byte = static_cast<std::byte>(random() & 255);
  }

  void capture(std::int64_t step, unsigned char mark) {
    StateRecord record(RunFolder(root), 0, 1, step, "begin");
    auto moved = kept_;
    moved[7] = static_cast<std::byte>(mark);
    add(record, "model/kept", kept_);
    add(record, "model/moved", moved);
    record.commit();
  }

  void capture_in_the_background(std::int64_t step, unsigned char mark) {
    BackgroundRecord record(std::make_unique<StateRecord>(RunFolder(root), 0, 1, step, "begin"),
                            kept_.size());
    auto moved = kept_;
    moved[7] = static_cast<std::byte>(mark);
    Field kept_field = tensor_field("model/kept", kept_), moved_field = kept_field;
    moved_field.path = FieldPath("model/moved");
    record.add_later(kept_field, view_of(kept_, Dtype::uint8, kept_field.shape, {1}), nullptr);
    record.add_later(moved_field, view_of(moved, Dtype::uint8, moved_field.shape, {1}), nullptr);
    record.start();
    record.barrier();
    moved[7] = std::byte{99};
    record.commit({});
    record.finish();
  }

  /// The mark of the capture at `step`, all bytes read and checked; -1 when there is none.
  int mark_of(std::int64_t step) {
    if (!is_regular_file(RunFolder(root).world(step))) return -1;
    const auto records = read_capture(RunFolder(root).capture(step));
    EXPECT_EQ(records.size(), 1U);
    EXPECT_EQ(streamed(*records[0].tree.find(FieldPath("model/kept"))->bytes), kept_);
    return static_cast<int>(streamed(*records[0].tree.find(FieldPath("model/moved"))->bytes)[7]);
  }

  std::vector<std::byte> kept_{std::vector<std::byte>(150'000)};
};

TEST_P(CaptureCrashTest, ANewCaptureIsThereOrNotAndTheFormerOneStays) {
  at_each_call(
      [&] {
        start_again();
        capture(1, 11);
      },
      [&] { capture(2, 22); },
      [&](const Outcome&) {
        EXPECT_EQ(mark_of(1), 11);
        EXPECT_THAT(mark_of(2), testing::AnyOf(-1, 22));
        EXPECT_NO_THROW(read_run(root));
      });
}

TEST_P(CaptureCrashTest, ACaptureInTheBackgroundIsThereOrNotAndTheFormerOneStays) {
  at_each_call(
      [&] {
        start_again();
        capture(1, 11);
      },
      [&] { capture_in_the_background(2, 22); },
      [&](const Outcome& outcome) {
        EXPECT_EQ(mark_of(1), 11);
        EXPECT_THAT(mark_of(2), testing::AnyOf(-1, 22));
        EXPECT_TRUE(outcome.was_killed || outcome.was_refused || mark_of(2) == 22);
        EXPECT_NO_THROW(read_run(root));
      });
}

TEST_P(CaptureCrashTest, AReplacedCaptureIsTheOldOneOrTheNewOne) {
  at_each_call(
      [&] {
        start_again();
        capture(1, 11);
      },
      [&] { capture(1, 12); },
      [&](const Outcome& outcome) {
        EXPECT_THAT(mark_of(1), testing::AnyOf(11, 12));
        if (!outcome.was_killed) {
          EXPECT_TRUE(outcome.was_refused || mark_of(1) == 12);
        }
      });
}

TEST_P(CaptureCrashTest, APruneLeavesWhatItKeepsWhole) {
  at_each_call(
      [&] {
        start_again();
        for (const int step : {1, 2, 3}) capture(step, static_cast<unsigned char>(11 * step));
      },
      [&] {
        prune_run(root, {{3}, {}, false});
      },
      [&](const Outcome&) {
        EXPECT_EQ(mark_of(3), 33);
        EXPECT_THAT(mark_of(1), testing::AnyOf(-1, 11));
        EXPECT_THAT(mark_of(2), testing::AnyOf(-1, 22));
        // The next one ends what this one began.
        prune_run(root, {{3}, {}, false});
        EXPECT_EQ(mark_of(3), 33);
        EXPECT_FALSE(is_folder(RunFolder(root).capture(1)));
        EXPECT_FALSE(is_folder(RunFolder(root).capture(2)));
      });
}

TEST_P(CaptureCrashTest, ACompressedFieldOfSeveralThreadsIsThereOrNot) {
  std::vector<std::byte> numbers(2'300'000);
  for (std::size_t i = 0; i < numbers.size(); i += 4)
    std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(i % 100'000), 2, numbers.begin() + i);
  const FieldPath path("model/numbers");
  at_each_call(
      [&] {
        start_again();
        capture(1, 11);
      },
      [&] {
        StateRecord record(RunFolder(root), 0, 1, 2, "begin");
        Field field;
        field.path = path;
        field.kind = FieldKind::tensor;
        field.dtype = Dtype::float32;
        field.shape = {static_cast<std::int64_t>(numbers.size() / 4)};
        record.add(field,
                   *tensor_bytes(view_of(numbers, Dtype::float32, field.shape, {1}), nullptr));
        record.commit();
      },
      [&](const Outcome&) {
        EXPECT_EQ(mark_of(1), 11);
        if (!is_regular_file(RunFolder(root).world(2))) return;
        const auto records = read_capture(RunFolder(root).capture(2));
        EXPECT_TRUE(streamed(*records.at(0).tree.find(path)->bytes) == numbers);
      });
}

TEST_P(CaptureCrashTest, ShortWritesAreGoneOnWith) {
  start_again();
  arm_fault(FaultKind::halve, 0);
  for (const int step : {1, 2}) capture(step, static_cast<unsigned char>(11 * step));
  prune_run(root, {{2}, {}, false});
  arm_fault(FaultKind::none, 0);
  EXPECT_EQ(mark_of(2), 22);
}

TEST_P(CaptureCrashTest, AReadOnlyFolderIsToldAndCanBeRead) {
  start_again();
  capture(1, 11);
  capture(2, 22);
  arm_fault(FaultKind::read_only, 0);
  EXPECT_THROW(capture(3, 33), Error);
  EXPECT_THROW(prune_run(root, {{2}, {}, false}), Error);
  EXPECT_EQ(prune_run(root, {{2}, {}, true}).removed, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(mark_of(1), 11);
  arm_fault(FaultKind::none, 0);
  EXPECT_EQ(mark_of(2), 22);
  EXPECT_EQ(mark_of(3), -1);
}

TEST_P(CaptureCrashTest, TwoWritersAtOnceDoNotHarmEachOther) {
  start_again();
  capture(1, 11);
  std::vector<pid_t> children;
  for (const int mark : {21, 22}) {
    children.push_back(::fork());
    if (children.back() == 0) {
      int status = kDone;
      try {
        for (const int step : {2, 3, 4}) capture(step, static_cast<unsigned char>(mark));
      } catch (...) {
        status = 1;
      }
      ::_exit(status);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(mark_of(1), 11);
  for (const int step : {2, 3, 4}) EXPECT_THAT(mark_of(step), testing::AnyOf(21, 22));
}

TEST_P(CaptureCrashTest, ASessionLeavesAReadableRun) {
  Plan plan;
  plan.leg = "uninterrupted";
  plan.run = root;
  plan.at = 1;
  plan.steps = 1;
  const std::string plan_path = folder / "plan.json";
  write_whole_file(plan_path, plan_to_json(plan));
  at_each_call([&] { start_again(); },
               [&] {
                 const auto session = Session::open(plan_path, 0, 1);
                 for (std::int64_t completed = 0; completed < 3; ++completed) {
                   const auto depth = session->at_begin(completed, false, false).record;
                   session->begin_record(completed, "begin", depth);
                   Field field;
                   field.path = FieldPath("loop/step");
                   field.value = completed;
                   session->add_field(field, *value_bytes(*field.value));
                   session->commit_record();
                   session->trace(completed, "loss", {1, 2});
                   session->at_end(completed + 1, false);
                 }
                 session->close();
               },
               [&](const Outcome&) {
                 if (!is_folder(RunFolder(root).root())) return;
                 const auto records = read_run(root);
                 if (records.empty()) return;
                 std::int64_t expected = 0;
                 for (const LogBegin& begin : records[0].log.begins)
                   EXPECT_EQ(begin.completed, expected++);
                 if (records[0].log.closed) {
                   EXPECT_EQ(expected, 3);
                 }
                 if (expected > 1) {
                   EXPECT_TRUE(records[0].capture.has_value());
                 }
               });
}

std::string name_of_kind(const testing::TestParamInfo<FaultKind>& info) {
  constexpr const char* kNames[] = {"none", "killed", "torn", "full"};
  return kNames[static_cast<int>(info.param)];
}

const auto kKinds = testing::Values(FaultKind::kill, FaultKind::torn, FaultKind::fail);
INSTANTIATE_TEST_SUITE_P(Writers, CrashTest, kKinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Writers, CaptureCrashTest, kKinds, name_of_kind);

}  // namespace
}  // namespace samestep
