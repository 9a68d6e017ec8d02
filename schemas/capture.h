// Capture: the record of one rank at one boundary (capture.v2), and the world-level record over its
// ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schemas/boundary.h"
#include "schemas/contract.h"
#include "schemas/field.h"

namespace samestep {

inline constexpr const char* kCaptureSchema = "capture.v2";
/// Still read.
inline constexpr const char* kCaptureSchemaV1 = "capture.v1";

/// Where the bytes of a field lie: offset and length in a pack file of a capture (this one's or an
/// earlier one's).
struct BlobPlace {
  std::string pack;  ///< relative to `<run>/.samestep/captures`, e.g. "4/rank-0.0.pack"
  std::uint64_t offset = 0, stored_bytes = 0;
  std::string codec = "raw";  ///< checkpoint/PACK.md
  bool operator==(const BlobPlace&) const = default;
};

struct CaptureRank {
  Boundary boundary;
  std::int64_t completed = 0;  ///< optimizer steps completed, counted from the start of training
  int world_size = 1;
  std::vector<Field> fields;          ///< sorted by path, paths unique, each with a digest
  std::map<Digest, BlobPlace> blobs;  ///< of those fields whose bytes were kept
  std::map<Digest, std::vector<Digest>> chunks;  ///< chunk digests of fields longer than one chunk
  Contract contract;
};

/// captures/<step>/capture.json, written last: its presence means that the capture is complete.
struct CaptureWorld {
  std::int64_t step = 0;
  int world_size = 1;
  std::vector<std::string> ranks;  ///< manifest files, by rank
};

}  // namespace samestep
