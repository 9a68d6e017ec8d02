#include "checkpoint/formats/dcp.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "checkpoint/formats/assembled_bytes.h"
#include "checkpoint/formats/dcp_metadata.h"
#include "checkpoint/formats/dcp_shards.h"
#include "checkpoint/formats/document_union.h"
#include "checkpoint/formats/file_format.h"
#include "checkpoint/formats/file_reader.h"
#include "checkpoint/formats/folder_reader.h"
#include "checkpoint/formats/stateless_file.h"
#include "checkpoint/formats/tensor_leaf.h"
#include "schemas/count_text.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr const char* kMetadata = ".metadata";
constexpr std::size_t kLostShown = 8;

bool is_shard(std::string_view name) { return name.starts_with("__") && name.ends_with(".distcp"); }

/// Files directly in `at`.
std::vector<std::string> shards_in(const Folder& folder, const std::string& at) {
  std::vector<std::string> names;
  for (const FolderFile& file : folder.files())
    if (folder_name(file.path) == at && is_shard(file_name(file.path))) names.push_back(file.path);
  return names;
}

std::string text_of(const std::vector<std::int64_t>& numbers) {
  std::string text = "[";
  for (const std::int64_t number : numbers)
    text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

class Reader {
 public:
  Reader(const Folder& folder, const std::string& at)
      : folder_(folder),
        at_(at),
        index_(join_path(at, kMetadata)),
        metadata_(read_dcp_metadata(folder.open(index_))),
        shards_(folder, at, index_, metadata_) {}

  Document read() {
    document_.format = is_torchtitan() ? "torchtitan DCP" : "DCP";
    for (const DcpRecord& record : metadata_.records) records_[record.name].push_back(&record);
    for (const DcpItem& item : metadata_.items) item.dtype ? tensor(item) : object(item);
    for (Leaf& leaf : metadata_.foreign) document_.leaves.push_back(std::move(leaf));
    for (const std::string& file : shards_.missing()) missing_file(file);
    for (const std::string& path : shards_in(folder_, at_))
      if (!shards_.knows(path))
        document_.notes.push_back(printable(path) +
                                  " is named by nothing in the index (left by another save?)");
    if (!metadata_.checkpoint_id.empty())
      document_.notes.emplace_back("written as " + printable(metadata_.checkpoint_id));
    return std::move(document_);
  }

 private:
  bool is_torchtitan() const {
    bool train_state = false, ranks = false;
    for (const DcpItem& item : metadata_.items) {
      train_state = train_state || item.keys[0].text == "train_state";
      ranks = ranks || (item.keys.size() > 1 && item.keys[0].text == "dataloader" &&
                        item.keys[1].text.starts_with("dp_rank_"));
    }
    return train_state && ranks;
  }

  void problem(Problem::Kind kind, const std::string& where, const std::string& message) {
    document_.problems.push_back({kind, where, message});
  }

  void missing_file(const std::string& file) {
    std::vector<std::string> lost;
    for (const DcpRecord& record : metadata_.records) {
      if (record.file == file) lost.push_back(printable(record.name));
    }
    problem(Problem::Kind::incomplete, printable(join_path(at_, file)),
            "the shard is missing; it holds " + some_of(lost, kLostShown));
  }

  const DcpRecord* record_of(const std::string& name,
                             const std::optional<std::vector<std::int64_t>>& chunk) const {
    const auto found = records_.find(name);
    if (found == records_.end()) return nullptr;
    for (const DcpRecord* record : found->second)
      if (record->chunk == chunk) return record;
    return nullptr;
  }

  void tensor(const DcpItem& item) {
    Leaf leaf;
    leaf.source = {index_, item.keys};
    leaf.kind = FieldKind::tensor;
    leaf.dtype = *item.dtype;
    leaf.shape = item.size;
    leaf.layout.requires_grad = item.requires_grad;
    std::vector<Block> blocks;
    bool lost = false;
    for (const DcpChunk& chunk : item.chunks) {
      Block block{chunk.offsets, chunk.sizes, chunk_bytes(item, chunk)};
      lost = lost || !block.bytes;
      blocks.push_back(std::move(block));
    }
    const Cover cover = cover_of(blocks, item.size);
    const std::uint64_t bytes = *tensor_byte_count(*item.dtype, item.size);
    if (cover == Cover::overlap) corrupt(item.name, "has chunks that overlap");
    if (cover == Cover::hole) hole(item, bytes);
    leaf.bytes = cover == Cover::whole && !lost
                     ? assembled_bytes(std::move(blocks), item.size, element_bytes(*item.dtype))
                     : missing_bytes(bytes, index_ + ": " + printable(item.name),
                                     "a part of the tensor is not there");
    document_.leaves.push_back(std::move(leaf));
  }

  [[noreturn]] void corrupt(const std::string& name, const std::string& message) const {
    throw Error(ErrorCode::corrupt, "\"" + printable(name) + "\" " + message, index_,
                "the index was cut or altered: save the checkpoint again");
  }

  void hole(const DcpItem& item, std::uint64_t bytes) {
    std::uint64_t held = 0;
    for (const FolderFile& file : folder_.files()) held += file.bytes;
    if (bytes > held)
      corrupt(item.name,
              "claims " + std::to_string(bytes) +
                  " bytes, more than the whole checkpoint holds, and its chunks do not cover it");
    problem(Problem::Kind::incomplete, printable(item.name),
            "the chunks do not cover the tensor of size " + text_of(item.size));
  }

  /// Null when the chunk is lost; the reason is then among the problems.
  FieldBytesPtr chunk_bytes(const DcpItem& item, const DcpChunk& chunk) {
    const std::string name = item.name + " " + text_of(chunk.offsets);
    const DcpRecord* record = record_of(item.name, chunk.offsets);
    if (!record) {
      problem(Problem::Kind::incomplete, printable(name), "no shard holds this chunk");
      return nullptr;
    }
    auto part = read_record(*record, name, *tensor_byte_count(*item.dtype, chunk.sizes));
    if (!part) return nullptr;
    if (part->leaves.size() != 1 || part->leaves[0].kind != FieldKind::tensor) {
      problem(Problem::Kind::inconsistent, printable(name),
              "the index says tensor, the shard holds something else");
      return nullptr;
    }
    Leaf& leaf = part->leaves[0];
    if (leaf.dtype != *item.dtype || leaf.shape != chunk.sizes) {
      problem(Problem::Kind::inconsistent, printable(name),
              "is " + std::string(to_string(*item.dtype)) + " " + text_of(chunk.sizes) +
                  " in the index and " + std::string(to_string(leaf.dtype)) + " " +
                  text_of(leaf.shape) + " in its shard");
      return nullptr;
    }
    return std::move(leaf.bytes);
  }

  void object(const DcpItem& item) {
    const DcpRecord* record = record_of(item.name, std::nullopt);
    if (!record)
      return problem(Problem::Kind::incomplete, printable(item.name), "no shard holds this object");
    auto part = read_record(*record, item.name, std::nullopt);
    if (!part) return;
    for (Leaf& leaf : part->leaves) {
      std::vector<SourceKey> keys = item.keys;
      keys.insert(keys.end(), leaf.source.keys.begin(), leaf.source.keys.end());
      leaf.source = {index_, std::move(keys)};
      leaf.layout.storage = -1;
      document_.leaves.push_back(std::move(leaf));
    }
  }

  /// The record as a document of its own, its extents and problems moved to ours. Nothing when it
  /// cannot be read.
  std::optional<Document> read_record(const DcpRecord& record, const std::string& name,
                                      std::optional<std::uint64_t> tensor_bytes) {
    if (record.transformed) {
      problem(Problem::Kind::damaged, printable(name),
              "was compressed by an extension of the writer; not read");
      return std::nullopt;
    }
    const auto slice = shards_.slice(record, name, tensor_bytes);
    if (!slice) {
      if (!shards_.is_missing(record.file))
        problem(Problem::Kind::incomplete, printable(join_path(at_, record.file)),
                "the shard ends before \"" + printable(name) + "\" does");
      return std::nullopt;
    }
    try {
      Document part = read_file(*slice);
      for (Extent& extent : part.extents) {
        extent.name = name;
        document_.extents.push_back(std::move(extent));
      }
      for (Problem& found : part.problems) {
        found.where = printable(name) + ": " + found.where;
        document_.problems.push_back(std::move(found));
      }
      return part;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::limit) throw;
      problem(Problem::Kind::damaged, printable(name), error.what());
      return std::nullopt;
    }
  }

  const Folder& folder_;
  const std::string at_, index_;
  DcpMetadata metadata_;
  DcpShards shards_;
  std::unordered_map<std::string, std::vector<const DcpRecord*>> records_;
  Document document_;
};

Document interrupted(const Folder& folder, const std::string& at) {
  Document document;
  document.format = "DCP";
  const bool renamed = folder.has(join_path(at, ".metadata.tmp"));
  document.problems.push_back(
      {Problem::Kind::incomplete, join_path(at, kMetadata),
       renamed ? "only .metadata.tmp is there: the save was interrupted before its last rename"
               : "is missing: the save never finished (the index is written last)"});
  document.notes.push_back(std::to_string(shards_in(folder, at).size()) +
                           " shards, not read: no index says what they hold");
  return document;
}

}  // namespace

bool is_dcp(const Folder& folder, const std::string& at) {
  return folder.has(join_path(at, kMetadata)) || folder.has(join_path(at, ".metadata.tmp")) ||
         !shards_in(folder, at).empty();
}

namespace {

/// Files beside the shards that no trainer's name speaks for and that cannot be read: some shard's
/// leftover. What is named as state must be right.
std::vector<std::string> leftovers(const Folder& folder, const std::string& at,
                                   const std::vector<std::string>& read) {
  std::vector<std::string> found;
  for (const std::string& path : files_in(folder, at)) {
    if (std::find(read.begin(), read.end(), path) != read.end()) continue;
    if (stateless_reason(path) != nullptr || claims_state(path)) continue;
    try {
      const FileSlice slice = folder.open(path);
      const FileFormat format = file_format(slice.bytes);
      const bool left_aside = format == FileFormat::unknown || format == FileFormat::empty ||
                              format == FileFormat::json;  // by read_union
      if (!left_aside) read_file(slice);
    } catch (const Error&) {
      found.push_back(path);
    }
  }
  return found;
}

}  // namespace

Document read_dcp_folder(const Folder& folder, const std::string& at) {
  Document document = read_dcp(folder, at);
  std::vector<std::string> read = shards_in(folder, at);
  for (const FolderFile& file : folder.files()) {  // a shard may be a link to a file beside it
    const bool shard = std::find(read.begin(), read.end(), file.path) != read.end();
    if (shard && !file.target.empty()) read.push_back(file.target);
  }
  for (const char* name : {kMetadata, ".metadata.tmp"}) read.push_back(join_path(at, name));
  for (const std::string& path : leftovers(folder, at, read)) {
    document.notes.push_back(printable(path) + ": no shard, and cannot be read");
    read.push_back(path);
  }
  append_document(document, read_union(folder, at, read));
  return document;
}

Document read_dcp(const Folder& folder, const std::string& at) {
  // A `.metadata` that is a link out of the folder is not listed: opening it says so.
  if (!folder.has(join_path(at, kMetadata))) {
    try {
      folder.open(join_path(at, kMetadata));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) throw;
      return interrupted(folder, at);
    }
  }
  return Reader(folder, at).read();
}

}  // namespace samestep
