// verify: are a checkpoint's bytes what its own checksums, indexes and counters say?
#pragma once

#include <cstdint>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace samestep {

class SumsAhead;

struct VerifyOptions {
  double read_data_subset =
      1.0;          ///< share of the data's records that are read, (0, 1]; always the same ones
  int threads = 2;  ///< that read and check; the calling thread is one of them
  SumsAhead* ahead = nullptr;  ///< of the same path, begun before it was opened; it is stopped
};

/// What was looked at. Bytes without a checksum can only be read, not checked.
struct VerifyFigures {
  std::uint64_t bytes_checked = 0, bytes_without_checksum = 0, bytes_left_out = 0;
  std::uint64_t records_checked = 0, records_without_checksum = 0, records_left_out = 0;
};

/// All problems: those found while opening (missing shards, holes, indexes against data), records
/// whose bytes do not match their checksum, files that cannot be read, counters that disagree.
/// Sorted by place; the same checkpoint gives the same list. Reads through mappings: a program
/// installs report_bus_errors() first. Does not throw for damage. `figures` may be null.
std::vector<Problem> verify_checkpoint(const Checkpoint& checkpoint, const VerifyOptions& options,
                                       VerifyFigures* figures = nullptr);

}  // namespace samestep
