// Bundle: ours. The state of one rank in one file, beside or instead of a trainer's own archives.
//
//   16 bytes   "samestep bundle\n"
//   blobs      canonical bytes of tensors, each at a multiple of 64 bytes, equal ones once
//   manifest   a capture.v1 document of a rank; its blobs lie in this file, named "bundle", raw.
//   The
//              trait "crc32" of a field is the CRC-32 of its bytes; equal numbers of `storage`
//              shared memory. Values are in the manifest alone
//   24 bytes   offset and length of the manifest (uint64, little-endian), "bundle 1"
#pragma once

#include <span>
#include <string>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"
#include "checkpoint/state_tree.h"
#include "schemas/capture.h"

namespace samestep {

/// What the manifest says beside the fields.
struct BundleHead {
  Boundary boundary;
  std::int64_t completed = 0;
  int world_size = 1;
  Contract contract;
};

struct Bundle {
  BundleHead head;
  StateTree tree;  ///< digests as recorded, not yet compared with the bytes
};

/// Whole or not at all; what was at `path` is replaced. Throws Error{not_found, failed}.
void write_bundle(const std::string& path, const BundleHead& head, const StateTree& tree);

bool looks_like_bundle(std::span<const std::byte> bytes) noexcept;
/// Tensors stay in the file. Throws Error{corrupt} with the place, Error{unsupported} for another
/// version.
Bundle read_bundle(const FileSlice& file);
/// The same as a foreign checkpoint is read; its leaves carry their own paths.
Document read_bundle_document(const FileSlice& file);

}  // namespace samestep
