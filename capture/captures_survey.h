// CapturesSurvey: what stands in the captures folder of a run, and who needs which pack.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture/run_folder.h"
#include "schemas/capture.h"

namespace samestep {

struct SurveyedCapture {
  std::int64_t step = 0;
  bool complete = false;               ///< its capture.json is there
  std::vector<std::string> manifests;  ///< names in its folder
};

struct CapturesSurvey {
  std::vector<SurveyedCapture>
      captures;  ///< by step; folders with neither a capture.json nor manifests are none
  std::map<std::string, std::uint64_t> packs;  ///< name relative to the captures folder -> bytes
  std::vector<std::string> leftovers;          ///< of killed writers, relative likewise
  std::set<std::int64_t> folders;              ///< all step folders
};

/// Reads names and sizes only. Throws Error{not_found, unreadable}.
CapturesSurvey survey_captures(const RunFolder& run);

/// A manifest that was read, and where it stands.
struct ReadManifest {
  std::string path;
  CaptureRank capture;
};
/// Of these captures. Throws Error{corrupt} for the first that is damaged, or that a complete
/// capture lacks.
std::vector<ReadManifest> read_manifests(const RunFolder& run,
                                         const std::vector<SurveyedCapture>& captures);

}  // namespace samestep
