// Store: content-addressed blobs in pack files below `<run>/.samestep/captures`, read back. PACK.md
// describes the format; PackWriter writes it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/field_bytes.h"
#include "schemas/capture.h"

namespace samestep {

class MappedFile;

inline constexpr std::string_view kPackMagic = "samestep pack 4\n";
inline constexpr std::uint64_t kBlobAlignment = 64;

/// The packs below a captures folder, each mapped once while somebody reads it. Safe to use from
/// several threads.
class PackFolder {
 public:
  explicit PackFolder(std::string captures) : captures_(std::move(captures)) {}
  /// Throws Error{not_found, unreadable}, and Error{corrupt} for a file that is no pack.
  std::shared_ptr<const MappedFile> open(const std::string& pack) const;
  /// Opens `pack` as long as this object lives, so that it can be read even when somebody removes
  /// it meanwhile. False when there is no such file; other trouble is told by who reads it.
  bool hold(const std::string& pack) const;
  const std::string& path() const noexcept { return captures_; }

 private:
  std::string captures_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::weak_ptr<const MappedFile>> open_;
  mutable std::vector<std::shared_ptr<const MappedFile>> held_;
};

/// What a blob must be.
struct BlobClaim {
  DigestTree digest;
  Dtype dtype = Dtype::none;
  std::vector<std::int64_t> shape;
  std::string field;  ///< for messages
};

/// The bytes of a blob, checked against their digest before they are passed on: mapped (raw), in
/// memory (zstd, and planes of one chunk), or decoded chunk by chunk each time they are streamed
/// (longer planes; contiguous() is empty then). Opens nothing before the first use. stream() and
/// contiguous() throw Error{not_found, unreadable, corrupt, unsupported}: the message names field,
/// pack, and the byte range of the first damaged chunk.
FieldBytesPtr blob_bytes(std::shared_ptr<const PackFolder> packs, const BlobPlace& place,
                         BlobClaim claim);

}  // namespace samestep
