// RunReader: reads what sessions wrote: captures, step logs, of all ranks of a leg.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/state_tree.h"
#include "schemas/capture.h"

namespace samestep {

/// One line of a step log.
struct LogBegin {
  std::int64_t completed = 0;
  std::string phase;                          ///< "begin" or "end" (the last boundary)
  std::map<std::string, Digest> fields;       ///< FieldPath text -> digest
  std::map<std::string, std::string> values;  ///< display text of small value fields
};
struct LogTrace {
  std::int64_t completed = 0;
  std::string phase;
  Digest digest;
};
struct LogEvent {
  std::string name, json;
};

/// The step log of a rank, in order. A begin that was recorded again (a save inside its window) is
/// there once, as it was recorded last.
struct StepLog {
  std::string leg;
  int rank = 0, world_size = 1;
  std::int64_t start = 0;
  std::vector<LogBegin> begins;
  std::vector<LogTrace> traces;
  std::map<std::string, std::vector<Digest>>
      loaded;  ///< FieldPath text -> digests seen after load calls, in order
  std::set<std::string>
      loaded_components;  ///< that a load call was made on, or may have written to
  std::vector<std::string> dead_gradients;
  std::vector<LogEvent> events;
  std::uint64_t lines = 0;  ///< that were read; 0: not even a head
  bool torn = false;        ///< half a frame at the end, which a killed process left
  bool closed = false;      ///< the session ended in order
};

struct RankRecord {
  int rank = 0;
  std::optional<CaptureRank> capture;  ///< the full capture; absent when the leg never reached it
  StateTree tree;                      ///< of that capture, bytes from the store
  StepLog log;
  std::string log_trouble;  ///< why `log` is empty, where add_logs_beside() could not read it
};

/// Reads `<run>/.samestep`: of each rank that left a log or a capture, in order of rank. The
/// capture is that of the latest complete one, or of the latest when none is complete (a rank
/// died). Throws Error{not_found} when there is none, Error{corrupt} with file and place.
std::vector<RankRecord> read_run(const std::string& run);
/// The StateTree of one complete capture: `path` is a run folder (its latest), a captures/<step>
/// folder or a rank manifest; logs are left empty. Bytes are read, and checked, when somebody
/// streams them. Throws as read_run, and Error{corrupt} when the capture is incomplete.
std::vector<RankRecord> read_capture(const std::string& path);
/// What the manifests of that capture say before their fields, by rank, their checksums compared;
/// nothing when one of them is of a version that has no summary. Throws as read_capture.
std::optional<std::vector<CaptureHead>> read_capture_heads(const std::string& path);
/// Paths of the manifests that the capture.json in `folder`, a captures/<step>, names. Throws
/// Error{corrupt} when one of them is missing, or the capture is incomplete or damaged.
std::vector<std::string> manifests_of(const std::string& folder);
/// One manifest, its checksum compared. Throws Error{not_found, unreadable, corrupt}.
CaptureRank read_capture_rank(const std::string& path);
/// The folder of all captures, of which one is at `path` (as read_capture takes it).
std::string captures_folder(const std::string& path);
/// Gives `records` (of read_capture(path)) the step logs of the run that holds the capture, where
/// it lies in one and they can be read; others stay empty, and `log_trouble` says why.
void add_logs_beside(const std::string& path, std::vector<RankRecord>& records);
bool looks_like_capture(const std::string& path) noexcept;

}  // namespace samestep
