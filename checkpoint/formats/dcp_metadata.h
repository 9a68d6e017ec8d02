// DcpMetadata: the index of a torch.distributed.checkpoint folder (`.metadata`, a pickle of
// Metadata).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// A block of a global tensor: its first element's position, and its size, by dimension.
struct DcpChunk {
  std::vector<std::int64_t> offsets, sizes;
};

/// A tensor (with dtype) or an object in bytes (without).
struct DcpItem {
  std::string name;  ///< the flat key ("app.model.a.weight")
  std::vector<SourceKey>
      keys;  ///< the nesting that the writer recorded; {name} where it recorded none
  std::optional<Dtype> dtype;
  std::vector<std::int64_t> size;
  std::vector<DcpChunk> chunks;  ///< as many dimensions as `size`
  bool requires_grad = false;
};

/// Where one chunk, or one object, lies.
struct DcpRecord {
  std::string name;
  std::optional<std::vector<std::int64_t>> chunk;  ///< offsets of the chunk; absent for an object
  std::string file;                                ///< as written: not yet to be trusted
  std::int64_t offset = 0, length = 0;             ///< as written
  bool transformed = false;  ///< compressed or otherwise changed by an extension
};

struct DcpMetadata {
  std::vector<DcpItem> items;  ///< in the order of the file
  std::vector<DcpRecord> records;
  std::string checkpoint_id;  ///< where it was written; empty when not recorded
  std::vector<Leaf> foreign;  ///< objects that have no business there, as opaque leaves
};

/// Reads `.metadata`. Nothing in it is called. Throws Error{corrupt} for a pickle that is no
/// Metadata or lacks what a reader needs, with the key; Error{unsupported} for an unknown dtype.
DcpMetadata read_dcp_metadata(const FileSlice& file);

}  // namespace samestep
