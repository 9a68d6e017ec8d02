// Capture: the record of one rank at one boundary (capture.v3), and the world-level record over its
// ranks (capture.v2).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/boundary.h"
#include "schemas/contract.h"
#include "schemas/field.h"

namespace samestep {

/// A rank's record without a summary, and the world-level record.
inline constexpr const char* kCaptureSchema = "capture.v2";
/// A rank's record with one.
inline constexpr const char* kCaptureSchemaV3 = "capture.v3";
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

/// What tells whether two captures hold the same fields without a look at each of them.
struct CaptureSummary {
  Digest fields;             ///< over paths, kinds, digests and strides (DIGEST.md, "The summary")
  std::uint64_t opaque = 0;  ///< fields that nobody opened
  std::map<std::string, std::uint64_t> components;  ///< component -> its fields
  bool operator==(const CaptureSummary&) const = default;
};

struct CaptureRank {
  Boundary boundary;
  std::int64_t completed = 0;  ///< optimizer steps completed, counted from the start of training
  int world_size = 1;
  std::vector<Field> fields;          ///< sorted by path, paths unique, each with a digest
  std::map<Digest, BlobPlace> blobs;  ///< of those fields whose bytes were kept
  std::map<Digest, std::vector<Digest>> chunks;  ///< chunk digests of fields longer than one chunk
  Contract contract;
  std::optional<CaptureSummary> summary;  ///< of capture.v3
};

/// What stands before the fields in a record of capture.v3.
struct CaptureHead {
  Boundary boundary;
  std::int64_t completed = 0;
  int world_size = 1;
  CaptureSummary summary;
};

/// captures/<step>/capture.json, written last: its presence means that the capture is complete.
struct CaptureWorld {
  std::int64_t step = 0;
  int world_size = 1;
  std::vector<std::string> ranks;  ///< manifest files, by rank
};

}  // namespace samestep
