// EarlierCaptures: what the captures of a run hold, so that it is not written again.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "capture/run_folder.h"
#include "checkpoint/known_blobs.h"
#include "schemas/capture.h"

namespace samestep {

/// Reads each manifest of a run once. Not thread-safe.
class EarlierCaptures {
 public:
  /// What the manifests that stand in the run now say, of blobs whose pack is there and long
  /// enough. A manifest that cannot be read costs space, not the capture.
  std::shared_ptr<const KnownBlobs> known(const RunFolder& run);
  /// The manifest at `path` has just been written and says this.
  void learn(const std::string& path, const CaptureRank& capture);

 private:
  std::map<std::string, std::string> stamps_;  // of the manifests that known_ comes from
  std::shared_ptr<KnownBlobs> known_ = std::make_shared<KnownBlobs>();
};

}  // namespace samestep
