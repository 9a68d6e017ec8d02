// StateRecord: one record being made: digests of all fields and, when it is full, their bytes and a
// manifest.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/field_with_bytes.h"
#include "capture/run_folder.h"
#include "checkpoint/field_bytes.h"
#include "checkpoint/files/file_lock.h"
#include "checkpoint/pack_writer.h"
#include "schemas/capture.h"

namespace samestep {

class EarlierCaptures;

/// Not thread-safe. Destroyed before commit() it leaves nothing.
class StateRecord {
 public:
  /// Digests only.
  StateRecord(std::int64_t completed, std::string phase);
  /// With bytes: a capture of `rank`. `earlier` outlives it; null: manifests are read anew. While
  /// it lives nobody prunes the run. Throws Error{failed} when somebody does for long, and when the
  /// folder cannot be written.
  StateRecord(const RunFolder& folder, int rank, int world_size, std::int64_t completed,
              std::string phase, EarlierCaptures* earlier = nullptr,
              StorePolicy policy = StorePolicy::planes);
  ~StateRecord();

  /// Reads `bytes` before it returns, and decodes the value of a one-element tensor where that is
  /// no further wait for a device. Paths must be unique in the record (SAMESTEP_CHECK).
  void add(Field field, const FieldBytes& bytes);
  /// As add() of each, in order. Digests alone are spread over threads by bytes.
  void add_all(std::vector<FieldWithBytes> fields);
  void set_contract(Contract contract) { capture_.contract = std::move(contract); }
  /// Bytes of the pack so far: 0 when all fields are known.
  std::uint64_t pack_bytes() const noexcept { return pack_ ? pack_->bytes_written() : 0; }
  /// Full: pack, manifest and, when this rank completes the set, capture.json become durable in
  /// this order. A capture of the same step and rank is replaced. Throws Error{failed}.
  void commit();

  std::int64_t completed() const noexcept { return capture_.completed; }
  const std::string& phase() const noexcept { return capture_.boundary.phase; }
  bool is_full() const noexcept { return pack_ != nullptr; }
  const std::map<std::string, Digest>& digests() const noexcept { return digests_; }
  /// Display text of value fields and of tensors whose one value is known.
  const std::map<std::string, std::string>& values() const noexcept { return values_; }

 private:
  void note_value(Field& field, const FieldBytes& bytes);
  void commit_world() const;

  std::optional<RunFolder> folder_;
  FileLock lock_;
  EarlierCaptures* earlier_ = nullptr;
  CaptureRank capture_;
  std::unique_ptr<PackWriter> pack_;
  std::map<std::string, Digest> digests_;
  std::map<std::string, std::string> values_;
};

}  // namespace samestep
