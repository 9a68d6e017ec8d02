// DcpShards: the .distcp files that an index names, and whether its records fit into them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "checkpoint/folder.h"
#include "checkpoint/formats/dcp_metadata.h"

namespace samestep {

/// Opens each file that `metadata` names, once. Immutable afterwards.
class DcpShards {
 public:
  /// Throws Error{corrupt} when a file lies outside the folder, or when records have negative
  /// extents, overlap, or leave a gap that reaches past the end of their file: shards are records
  /// one behind the other, so only a lie does that, while a file that was cut loses the records at
  /// its end.
  DcpShards(const Folder& folder, const std::string& at, const std::string& index,
            const DcpMetadata& metadata);

  /// The bytes of `record`; nothing when its file is missing or was cut. `tensor_bytes`: what a
  /// tensor needs; a record much longer than that is implausible. Throws Error{corrupt} then.
  std::optional<FileSlice> slice(const DcpRecord& record, const std::string& name,
                                 std::optional<std::uint64_t> tensor_bytes) const;

  const std::set<std::string>& missing() const noexcept { return missing_; }
  bool is_missing(const std::string& file) const { return missing_.contains(file); }
  /// `path` is relative to the checkpoint.
  bool knows(const std::string& path) const;

 private:
  void check_extents(const std::string& file, const FileSlice* slice,
                     std::vector<const DcpRecord*> records) const;
  [[noreturn]] void fail(const DcpRecord& record, const std::string& message) const;

  std::string at_, index_;
  std::map<std::string, FileSlice> files_;
  std::set<std::string> missing_;
};

}  // namespace samestep
