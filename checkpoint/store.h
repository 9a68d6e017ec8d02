// Store: content-addressed blobs in pack files below `<run>/.samestep/captures`.
//
// A pack begins with the 16 bytes "samestep pack 1\n". Blobs follow, each at a multiple of 64
// bytes; the gaps are zero. A pack holds no index: manifests say where each blob lies (BlobPlace).
// Codecs: "raw" (canonical bytes as they are), "zstd" (one frame).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checkpoint/field_bytes.h"
#include "schemas/capture.h"

namespace samestep {

class MappedFile;
class WholeFile;

/// Writes the blobs of one capture of one rank. Identical bytes are written once, and not at all
/// when an earlier capture of the run holds them. Not thread-safe. Destroyed before commit() it
/// leaves nothing.
class PackWriter {
 public:
  /// `captures`: the captures folder. `pack`: name relative to it; its folder exists.
  PackWriter(std::string captures, std::string pack);
  ~PackWriter();

  /// Blobs that lie in committed packs of the run already.
  void know(const std::map<Digest, BlobPlace>& blobs);
  /// Where the bytes of this digest lie; written unless they are there. Throws Error{failed}.
  BlobPlace put(const Digest& digest, const FieldBytes& bytes);
  /// Makes the pack appear; nothing is made when nothing was written.
  void commit();

 private:
  BlobPlace write(const FieldBytes& bytes);
  void align();

  std::string captures_, pack_;
  std::unique_ptr<WholeFile> file_;
  std::map<Digest, BlobPlace> known_;
};

/// The packs below a captures folder, each mapped once while somebody reads it. Safe to use from
/// several threads.
class PackFolder {
 public:
  explicit PackFolder(std::string captures) : captures_(std::move(captures)) {}
  /// Throws Error{not_found, unreadable}, and Error{corrupt} for a file that is no pack.
  std::shared_ptr<const MappedFile> open(const std::string& pack) const;
  const std::string& path() const noexcept { return captures_; }

 private:
  std::string captures_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::weak_ptr<const MappedFile>> open_;
};

/// What a blob must be.
struct BlobClaim {
  DigestTree digest;
  Dtype dtype = Dtype::none;
  std::vector<std::int64_t> shape;
  std::string field;  ///< for messages
};

/// The bytes of a blob, read and checked against their digest at first use, then kept mapped (raw)
/// or in memory (zstd). Opens nothing before that. stream() and contiguous() throw Error{not_found,
/// unreadable, corrupt}: the message names field, pack, and the byte range of the first damaged
/// chunk.
FieldBytesPtr blob_bytes(std::shared_ptr<const PackFolder> packs, const BlobPlace& place,
                         BlobClaim claim);

}  // namespace samestep
