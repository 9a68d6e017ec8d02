#include "checkpoint/formats/dcp_shards.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "schemas/error.h"

namespace samestep {
namespace {

/// A record is a zip archive of one tensor: its bytes, and directory, pickle and padding beside
/// them.
constexpr std::uint64_t kRecordOverheadMax = 1 << 20;
/// No shard is as long as this (1 PiB); bounds the sum of offset and length.
constexpr std::int64_t kShardBytesMax = 1ll << 50;

/// The path that `slice` holds when it is what stands for a symbolic link after a copy that could
/// not make links (git without core.symlinks, some archivers): nothing but a path as text.
std::optional<std::string> link_text(const FileSlice& slice) {
  constexpr std::size_t kPathBytesMax = 4096;
  std::string text(reinterpret_cast<const char*>(slice.bytes.data()),
                   std::min(slice.bytes.size(), kPathBytesMax));
  const bool path =
      !text.empty() && text.size() < kPathBytesMax && !text.starts_with("PK") &&
      std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  return path ? std::optional(std::move(text)) : std::nullopt;
}

/// A shard, through a link that was stored as text.
FileSlice open_shard(const Folder& folder, const std::string& path, const std::string& index) {
  FileSlice slice = folder.open(path, index);
  const auto target = link_text(slice);
  if (!target) return slice;
  // Refuses what leaves the folder, as it does for a real link; a text that names nothing is just a
  // short file.
  const std::string linked =
      target->starts_with('/') ? *target : join_path(folder_name(path), *target);
  try {
    return folder.open(linked, path);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return slice;
  }
}

}  // namespace

DcpShards::DcpShards(const Folder& folder, const std::string& at, const std::string& index,
                     const DcpMetadata& metadata)
    : at_(at), index_(index) {
  std::map<std::string, std::vector<const DcpRecord*>> by_file;
  for (const DcpRecord& record : metadata.records) by_file[record.file].push_back(&record);
  for (auto& [file, records] : by_file) {
    try {
      files_.emplace(file, open_shard(folder, join_path(at, file), index));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) throw;
      missing_.insert(file);
    }
    const auto opened = files_.find(file);
    check_extents(file, opened == files_.end() ? nullptr : &opened->second, std::move(records));
  }
}

void DcpShards::fail(const DcpRecord& record, const std::string& message) const {
  throw Error(ErrorCode::corrupt,
              "\"" + printable(record.name) + "\" " + message + " (" + printable(record.file) +
                  ", offset " + std::to_string(record.offset) + ", " +
                  std::to_string(record.length) + " bytes)",
              index_, "the index was cut or altered: save the checkpoint again");
}

void DcpShards::check_extents(const std::string&, const FileSlice* slice,
                              std::vector<const DcpRecord*> records) const {
  for (const DcpRecord* record : records) {
    if (record->offset < 0) fail(*record, "has a negative offset");
    if (record->length < 0) fail(*record, "has a negative length");
    if (record->offset > kShardBytesMax || record->length > kShardBytesMax)
      fail(*record, "lies past any file's end");
  }
  std::sort(records.begin(), records.end(), [](const DcpRecord* a, const DcpRecord* b) {
    return std::pair(a->offset, a->length) < std::pair(b->offset, b->length);
  });
  const DcpRecord* before = nullptr;
  std::int64_t end = 0;
  for (const DcpRecord* record : records) {
    const bool same =
        before && before->offset == record->offset && before->length == record->length;
    if (record->offset < end && !same)
      fail(*record, "overlaps \"" + printable(before->name) + "\"");
    if (slice && record->offset > end &&
        static_cast<std::uint64_t>(record->offset) > slice->bytes.size())
      fail(*record, "lies past the end of its shard, which is " +
                        std::to_string(slice->bytes.size()) + " bytes long");
    end = record->offset + record->length;
    before = record;
  }
}

std::optional<FileSlice> DcpShards::slice(const DcpRecord& record, const std::string& name,
                                          std::optional<std::uint64_t> tensor_bytes) const {
  const auto offset = static_cast<std::uint64_t>(record.offset);
  const auto length = static_cast<std::uint64_t>(record.length);
  if (tensor_bytes && length / 2 > *tensor_bytes + kRecordOverheadMax)
    fail(record, "is far longer than the tensor that it holds");
  const auto file = files_.find(record.file);
  if (file == files_.end()) return std::nullopt;
  if (offset > file->second.bytes.size() || length > file->second.bytes.size() - offset)
    return std::nullopt;
  return file->second.part(offset, length, printable(name));
}

bool DcpShards::knows(const std::string& path) const {
  return std::any_of(files_.begin(), files_.end(),
                     [&](const auto& file) { return join_path(at_, file.first) == path; });
}

}  // namespace samestep
