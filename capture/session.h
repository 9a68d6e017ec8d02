// Session: one training process obeying one plan. Finds nothing by itself: the bindings hand it
// fields and events, it decides what is recorded, copied and stopped, and writes records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/field_with_bytes.h"
#include "checkpoint/field_bytes.h"
#include "schemas/capture.h"
#include "schemas/plan.h"

namespace samestep {

/// What the bindings are to do now: first the record, then the stop.
struct Decision {
  enum class Record : unsigned char { none, digest, full } record = Record::none;
  bool trace = false;  ///< from here on hand over what happens inside the step (batch, forward,
                       ///< loss, grad, optimizer)
  bool stop = false;  ///< all that the plan asks for is done: close the session and end the process
};

/// Not thread-safe: the bindings call it from one thread at a time (the training loop's). In a
/// process that was forked from the one that opened it every call does nothing. Every `completed`
/// counts the optimizer steps of this process; plan.start is added here. Calls that write throw
/// Error (full disk, no permission); the record is then abandoned.
class Session {
 public:
  /// Reads the plan at `plan_path`, claims `rank` of this leg, makes the run folder. Returns null
  /// when another process of the leg has claimed the rank already (an unrelated subprocess). Throws
  /// Error.
  static std::unique_ptr<Session> open(const std::string& plan_path, int rank, int world_size);
  virtual ~Session() = default;

  virtual const Plan& plan() const = 0;

  /// The first training forward after `completed` optimizer steps, or, with
  /// `window_open`, a later forward of the same accumulation window after a save call.
  /// `save_running`: a wrapped save call is being made in another thread.
  virtual Decision at_begin(std::int64_t completed, bool window_open, bool save_running) = 0;
  /// After an optimizer step (all optimizers of the iteration done); may only stop.
  virtual Decision at_end(std::int64_t completed, bool save_running) = 0;
  /// The process is about to end by itself (training is over): asks for the state at the last
  /// boundary (phase "end") when no begin has recorded it, and copies what has not been copied yet.
  /// Waits some 50 ms for files to be at rest.
  virtual Decision at_exit(std::int64_t completed) = 0;

  /// A record of the state at a begin (or the last boundary): start, any number of fields, commit.
  virtual void begin_record(std::int64_t completed, const std::string& phase,
                            Decision::Record depth) = 0;
  /// `bytes` is read before the call returns. `field.path` must be unique in the record;
  /// field.digest is filled here.
  virtual void add_field(Field field, const FieldBytes& bytes) = 0;
  /// As add_field() of each, in order; of digests alone the work is spread over threads.
  virtual void add_fields(std::vector<FieldWithBytes> fields) = 0;
  virtual void set_contract(Contract contract) = 0;
  virtual void commit_record() = 0;
  /// Drops the record that was begun.
  virtual void abandon_record() noexcept = 0;

  /// Where plan.background asks for it a full record is written beside the training
  /// (background_record.h): start_record() after the last field, barrier() before an optimizer
  /// steps, then commit_record(), which does not wait. Other records take these calls too.
  virtual bool is_in_background() const noexcept = 0;
  /// As add_field(), of memory that stays as it is until barrier() returns or settle_record()
  /// counts the call; `owner` is released then, in this thread.
  virtual void add_field_later(Field field, TensorView view, std::shared_ptr<const void> owner) = 0;
  /// The same of memory of a device, read as often as wanted until then; the caller sees whether it
  /// was changed.
  virtual void add_field_later(Field field, FieldBytesPtr bytes) = 0;
  virtual void start_record() = 0;
  virtual std::size_t settle_record() = 0;
  virtual void barrier() = 0;
  /// Logs the record that was committed in the background, once it is durable; `wait`s for that.
  /// Throws the error that it failed with. Done by begin_record() and close() too, which wait.
  virtual void collect_record(bool wait) = 0;

  /// A boundary inside a step: one digest under a name ("forward:layers.0", "grad:head.weight").
  virtual void trace(std::int64_t completed, const std::string& phase, const Digest& digest) = 0;
  /// The value of a field just after a load call.
  virtual void observe_loaded(const FieldPath& path, const Digest& digest,
                              const std::string& call) = 0;
  /// Gradients of the last full record that were cleared before anything was added to them.
  virtual void dead_gradients(const std::vector<std::string>& paths) = 0;
  /// Any other event of the step log: `name` and a JSON object in text.
  virtual void event(const std::string& name, const std::string& json) = 0;

  /// Flushes and closes the log; the run folder is then complete. Idempotent.
  virtual void close() = 0;
};

}  // namespace samestep
