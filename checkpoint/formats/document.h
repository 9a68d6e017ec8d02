// Document: what a reader found in a foreign checkpoint, before names are made canonical.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/field_bytes.h"
#include "schemas/field.h"

namespace samestep {

/// One leaf as it stands in the file. Tensors are views into mapped files or lazily assembled
/// shards.
struct Leaf {
  Source source;  ///< file and keys, as in the file
  FieldKind kind = FieldKind::value;
  Value value = None{};       ///< of a value leaf
  Dtype dtype = Dtype::none;  ///< of a tensor
  std::vector<std::int64_t> shape;
  Layout layout;
  std::string class_name;  ///< of an opaque object, or of a tensor subclass
  FieldBytesPtr bytes;     ///< canonical bytes; never null for tensor and value
  /// Of our own files alone: they say what the leaf is. Empty: naming finds out.
  FieldPath own_path;
  Role own_role = Role::other;
  std::optional<int> own_rank;  ///< where each rank has a file of its own
};

/// What is wrong with a checkpoint without being unreadable: damage, holes, disagreement (`verify`
/// reports them).
struct Problem {
  enum class Kind : std::uint8_t { damaged, incomplete, inconsistent } kind = Kind::damaged;
  std::string where;  ///< file, offset, key or field
  std::string message;
};

/// A region of a file whose checksum or extent `verify` can check, and the leaf that lies in it.
struct Extent {
  std::string file;  ///< relative to the checkpoint
  std::uint64_t offset = 0, bytes = 0;
  std::optional<std::uint32_t> crc32;  ///< of the stored bytes; absent: no checksum kept
  std::string name;                    ///< record name, or the keys of the leaf, for messages
};

struct Document {
  std::string format;        ///< "torch.save zip", "safetensors", "DCP", "HF Trainer folder", ...
  std::vector<Leaf> leaves;  ///< in file order
  std::vector<std::string>
      notes;  ///< facts for a person ("no checksums were kept", "12 bytes unreferenced")
  std::vector<Problem> problems;
  std::vector<Extent> extents;
};

}  // namespace samestep
