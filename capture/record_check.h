// RecordCheck: which files of a run are not there, or are not what its records say of them. Bytes
// of fields are not read.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/run_reader.h"

namespace samestep {

enum class FileTrouble : std::uint8_t {
  missing,       ///< there is no such file
  unreadable,    ///< it is there and cannot be opened
  damaged,       ///< it is no such file, or ends early
  incomplete,    ///< it is a part of what it must be
  inconsistent,  ///< it says another thing than its name, or is of another version
};

const char* to_string(FileTrouble trouble) noexcept;

/// A pack in which fields of the records lie and cannot be read, all of them or those beyond its
/// end.
struct PackTrouble {
  std::string name;  ///< "captures/4/rank-0.0.pack"
  FileTrouble trouble = FileTrouble::missing;
  std::string message;                              ///< what is wrong with it, without its name
  std::vector<std::pair<int, std::string>> fields;  ///< rank and path, in the order of the records
  std::set<std::int64_t> captures;                  ///< whose records were asked about
  std::set<std::int64_t> others;                    ///< other captures of the run that need it
};

/// Of read_capture(path), by name. Looks at each pack once, and at the manifests of other captures
/// only where there is trouble.
std::vector<PackTrouble> check_packs(const std::string& path,
                                     const std::vector<RankRecord>& records);

/// A step log, `log/rank-<r>.jsonl.zst`.
struct LogTrouble {
  std::string name;  ///< "log/rank-0.jsonl.zst"
  FileTrouble trouble = FileTrouble::damaged;
  std::string message;
  bool harmless = false;  ///< what a killed process leaves; what is before it counts
};

/// Of the run folder `run`, by rank: each rank of `ranks` (those that have a capture) must have a
/// log that has begun, where there is a folder for logs. Nothing for a path that is no run folder.
std::vector<LogTrouble> check_logs(const std::string& run, const std::set<int>& ranks);

struct OtherCaptures {
  std::set<std::int64_t> complete, incomplete;
};
/// Steps of the captures of the run folder `run` beside the one that read_capture(run) reads.
/// Nothing for a path that is no run folder.
OtherCaptures other_captures(const std::string& run, const std::vector<RankRecord>& records);

}  // namespace samestep
