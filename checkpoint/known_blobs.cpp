#include "checkpoint/known_blobs.h"

namespace samestep {

void KnownBlobs::add(const Digest& digest, const std::vector<Digest>& chunks,
                     const BlobPlace& place) {
  if (places_.emplace(digest, place).second && chunks.size() > 1) starts_.insert(chunks.front());
}

void KnownBlobs::add(const CaptureRank& capture) {
  static const std::vector<Digest> kNone;
  for (const auto& [digest, place] : capture.blobs) {
    const auto chunks = capture.chunks.find(digest);
    add(digest, chunks == capture.chunks.end() ? kNone : chunks->second, place);
  }
}

const BlobPlace* KnownBlobs::find(const Digest& digest) const {
  const auto place = places_.find(digest);
  return place == places_.end() ? nullptr : &place->second;
}

}  // namespace samestep
