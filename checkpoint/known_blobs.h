// KnownBlobs: where the blobs of a run lie, and which bytes need not be compared with them.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "schemas/capture.h"

namespace samestep {

class KnownBlobs {
 public:
  /// `chunks` may be empty for a field of at most one chunk. The first place of a digest stays.
  void add(const Digest& digest, const std::vector<Digest>& chunks, const BlobPlace& place);
  /// All that a capture holds.
  void add(const CaptureRank& capture);
  const BlobPlace* find(const Digest& digest) const;
  /// False when no known blob of several chunks begins with a chunk of this digest.
  bool may_begin_with(const Digest& chunk) const { return starts_.contains(chunk); }
  /// Blobs of several chunks are known.
  bool has_long_ones() const noexcept { return !starts_.empty(); }

 private:
  std::map<Digest, BlobPlace> places_;
  std::set<Digest> starts_;
};

}  // namespace samestep
