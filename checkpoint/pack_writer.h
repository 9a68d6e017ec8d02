// PackWriter: the blobs of one capture of one rank, into one pack. PACK.md describes the format.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/blob_codec.h"
#include "checkpoint/field_bytes.h"
#include "checkpoint/known_blobs.h"
#include "schemas/capture.h"
#include "schemas/store_policy.h"

namespace samestep {

class PackFile;

/// Identical bytes are written once, and not at all when an earlier capture of the run holds them.
/// Hashing, splitting, compressing and writing of a chunk follow each other while it is in the
/// cache; up to four threads take part in a large field, and at most 16 MiB are needed beside the
/// fields themselves. Not thread-safe. Destroyed before commit() it leaves nothing.
class PackWriter {
 public:
  /// `captures`: the captures folder. `name`: of the n-th pack, relative to it; the first free one
  /// is taken, its folder exists. `earlier`: what other captures hold, whose packs stay in place.
  PackWriter(std::string captures, std::function<std::string(int)> name,
             std::shared_ptr<const KnownBlobs> earlier = nullptr,
             StorePolicy policy = StorePolicy::planes);
  ~PackWriter();

  struct Stored {
    DigestTree digest;
    BlobPlace place;
  };
  /// Digest of the bytes, and where they lie; written unless they are there. Throws Error{failed};
  /// the pack is then good for nothing.
  Stored put(const FieldBytes& bytes, Dtype dtype, std::span<const std::int64_t> shape);
  /// Makes the pack appear; nothing is made when nothing was written.
  void commit();
  /// Of the pack: 0 as long as nothing was written.
  std::uint64_t bytes_written() const noexcept { return size_; }

 private:
  struct Desk;
  struct Job;

  const BlobPlace* find_known(const FieldBytes& bytes, DigestTree& tree, Dtype dtype,
                              std::span<const std::int64_t> shape);
  BlobPlace write(const FieldBytes& bytes, DigestTree& tree);
  void write_chunk(std::span<const std::byte> chunk, DigestTree& tree);
  void write_stream(const FieldBytes& bytes, DigestTree& tree);
  void write_together(std::span<const std::byte> memory, DigestTree& tree);
  void write_group(Job& job, std::size_t group);
  void start_group(std::size_t first_chunk, Desk& desk) const;
  std::size_t code_group(Job& job, std::size_t group, Desk& desk);
  void open();
  void append(std::span<const std::byte> bytes);
  void flush();

  std::string captures_;
  std::function<std::string(int)> name_;
  std::shared_ptr<const KnownBlobs> earlier_;
  KnownBlobs written_;
  StorePolicy policy_;
  std::unique_ptr<PackFile> file_;
  std::string pack_;
  std::vector<std::byte> pending_;
  std::uint64_t size_ = 0;  ///< of the pack, with what is pending
  BlobIndex index_;         ///< of the blob that is being written
  ChunkLayout layout_;      ///< of its numbers
  std::size_t chunks_ = 0;  ///< that it has
  bool digested_ = false;   ///< its chunks are
  std::vector<std::unique_ptr<Desk>> desks_;
};

}  // namespace samestep
