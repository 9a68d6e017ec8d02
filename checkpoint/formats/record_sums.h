// RecordSums: the tensors of a torch.save file, and the checksums of the records in which they lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep {

/// What the archive's index says of a record.
struct RecordSum {
  std::string name;  ///< below the archive's folder: "data/3"
  std::uint64_t bytes = 0;
  std::optional<std::uint32_t> crc32;  ///< absent: the writer kept none
};

/// A tensor's `layout.storage` is the place of its record in `records`; -1 where it has none.
struct RecordSums {
  StateTree tree;
  std::vector<RecordSum> records;
};

/// Reads the index and the pickle, of the data at most small tensors. Throws Error{unsupported} for
/// any file that is not a ZIP file of torch.save, and what its readers throw.
RecordSums read_record_sums(const std::string& path);

}  // namespace samestep
