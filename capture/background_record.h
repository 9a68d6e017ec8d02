// BackgroundRecord: a full record that is digested and written beside the training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "capture/state_record.h"
#include "checkpoint/field_bytes.h"

namespace samestep {

/// Parameters and optimizer slots do not change until the optimizer steps: a thread of its own
/// reads them in place (add_later) while the trainer runs forward and backward. What may change
/// sooner is copied (add_now). barrier() is called just before the optimizer steps.
///
/// Fields are written in the order in which they were added, so that the capture is byte for byte
/// the one that StateRecord makes of the same calls. Copies of fields together take at most
/// `copied_bytes_max`; who needs more waits until some are written.
///
/// Called from one thread. An error of the writing thread is thrown by each later call, the record
/// is then given up. Destroyed before it is committed it leaves nothing; the destructor waits for
/// the field that is being written. In a process that was forked from the one that made it nothing
/// may be called but the destructor, which does nothing.
///
/// What lies on a device comes as FieldBytes that copy it to the host piece by piece, on a stream
/// of the device of their own: nothing waits for the device but the writing thread, and barrier().
class BackgroundRecord {
 public:
  static constexpr std::uint64_t kCopiedBytesMax = 256 << 20;

  /// Whether add_later() lends such a field. Small ones, and those of several elements a byte, it
  /// copies.
  static bool lends(Dtype dtype, std::uint64_t bytes);

  /// `record`: full, without fields.
  explicit BackgroundRecord(std::unique_ptr<StateRecord> record,
                            std::uint64_t copied_bytes_max = kCopiedBytesMax);
  ~BackgroundRecord();
  BackgroundRecord(const BackgroundRecord&) = delete;
  BackgroundRecord& operator=(const BackgroundRecord&) = delete;

  /// Reads `bytes` before it returns. A field that is longer than all copies may be is waited for.
  void add_now(Field field, const FieldBytes& bytes);
  /// The memory is read until settle() counts the field, or barrier() returns. `owner` (may be
  /// null) is released in the caller's thread, then or in the destructor.
  void add_later(Field field, TensorView view, std::shared_ptr<const void> owner);
  /// As above, of what reads memory of a device. Never waits. No sample is taken: the caller sees
  /// whether it was changed. `bytes` is read by two threads at a time, and released in the
  /// caller's.
  void add_later(Field field, FieldBytesPtr bytes);
  /// Has the writing thread begin. Else it begins where the caller has to wait for it.
  void start();

  /// How many of the add_later() calls, from the first on, need their memory no more. Throws
  /// Error{failed} that names a field of which a sample (memory_sample.h) was changed before.
  std::size_t settle();
  /// Returns when no memory of the caller is read any more: copies as much of it as may be, and
  /// waits for the rest. Then as settle().
  void barrier();

  /// After barrier(): all is as it should be, and nothing more is added. The writing thread makes
  /// the record durable as soon as all is written.
  void commit(Contract contract);
  /// The most bytes that copies took at a time.
  std::uint64_t copied_bytes_most() const;
  /// The record is durable, or has failed.
  bool is_done() const;
  /// After commit(): waits until the record is durable and hands it over.
  std::unique_ptr<StateRecord> finish();

 private:
  class Work;

  std::unique_ptr<Work> work_;
  const int owner_;
};

}  // namespace samestep
