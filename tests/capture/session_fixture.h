// A small language for tests of sessions: a leg in a temporary folder, and a trainer whose state is
// a few fields.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "capture/run_reader.h"
#include "capture/session.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/whole_file.h"
#include "schemas/json/plan_json.h"
#include "tests/support/temporary_folder.h"

namespace samestep {

/// Keeps the floats of a tensor field alive.
class FloatField {
 public:
  FloatField(std::string path, std::vector<float> values)
      : path_(std::move(path)), values_(std::move(values)) {}

  void add_to(Session& session) const {
    Field field;
    field.path = FieldPath(path_);
    field.kind = FieldKind::tensor;
    field.dtype = Dtype::float32;
    field.shape = {static_cast<std::int64_t>(values_.size())};
    TensorView view;
    view.base = reinterpret_cast<const std::byte*>(values_.data());
    view.dtype = field.dtype;
    view.shape = field.shape;
    view.strides = {1};
    session.add_field(field, *tensor_bytes(view, nullptr));
  }

 private:
  std::string path_;
  std::vector<float> values_;
};

inline void add_value(Session& session, const std::string& path, Value value) {
  Field field;
  field.path = FieldPath(path);
  field.value = value;
  session.add_field(field, *value_bytes(value));
}

/// A leg: `plan` may be changed before the first open().
class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    plan.leg = "uninterrupted";
    plan.run = folder.path() + "/run";
    plan.out = folder.path() + "/out";
    make_folders(plan.out);
  }

  std::unique_ptr<Session> open(int rank = 0, int world_size = 1) {
    const std::string path = folder.path() + "/plan.json";
    write_whole_file(path, plan_to_json(plan));
    return Session::open(path, rank, world_size);
  }

  /// Records a state that depends on `completed` alone.
  static void record(Session& session, std::int64_t completed, Decision::Record depth,
                     const char* phase = "begin") {
    if (depth == Decision::Record::none) return;
    session.begin_record(completed, phase, depth);
    FloatField("model/weight", {1.0F, 2.0F, static_cast<float>(completed)}).add_to(session);
    add_value(session, "loop/step", completed);
    session.commit_record();
  }

  /// Obeys the session for at most `steps` steps; returns the completed steps at which it stopped,
  /// -1 if never.
  std::int64_t train(Session& session, std::int64_t steps) {
    for (std::int64_t completed = 0; completed < steps; ++completed) {
      const Decision begin = session.at_begin(completed, false, false);
      record(session, completed, begin.record);
      if (begin.stop) return completed;
      if (begin.trace) session.trace(completed, "loss", digest_of_text(std::to_string(completed)));
      if (session.at_end(completed + 1, false).stop) return completed + 1;
    }
    record(session, steps, session.at_exit(steps).record, "end");
    session.close();
    return -1;
  }

  static Digest digest_of_text(const std::string& text) {
    return {0, std::hash<std::string>()(text)};
  }

  RankRecord only_record() {
    auto records = read_run(plan.run);
    EXPECT_EQ(records.size(), 1U);
    return std::move(records.at(0));
  }

  TemporaryFolder folder;
  Plan plan;
};

}  // namespace samestep
