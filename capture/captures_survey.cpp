#include "capture/captures_survey.h"

#include <sys/stat.h>

#include <algorithm>

#include "capture/run_reader.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/whole_file.h"

namespace samestep {
namespace {

std::uint64_t size_of(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

void survey_folder(const RunFolder& run, std::int64_t step, CapturesSurvey& survey) {
  const std::string folder = run.capture(step), prefix = std::to_string(step) + "/";
  SurveyedCapture capture{step, is_regular_file(run.world(step)), {}};
  for (const Entry& entry : list_folder(folder)) {
    if (entry.kind != EntryKind::file) continue;
    if (is_unfinished_name(entry.path)) {
      survey.leftovers.push_back(prefix + entry.path);
    } else if (entry.path.ends_with(".pack")) {
      survey.packs[prefix + entry.path] = size_of(folder + "/" + entry.path);
    } else if (rank_of_manifest(entry.path)) {
      capture.manifests.push_back(entry.path);
    }
  }
  survey.folders.insert(step);
  if (capture.complete || !capture.manifests.empty()) survey.captures.push_back(std::move(capture));
}

}  // namespace

CapturesSurvey survey_captures(const RunFolder& run) {
  CapturesSurvey survey;
  for (const Entry& entry : list_folder(run.captures())) {
    const auto step = step_of_folder(entry.path);
    if (entry.kind == EntryKind::folder && step) survey_folder(run, *step, survey);
  }
  std::ranges::sort(survey.captures, {}, &SurveyedCapture::step);
  return survey;
}

std::vector<ReadManifest> read_manifests(const RunFolder& run,
                                         const std::vector<SurveyedCapture>& captures) {
  std::vector<ReadManifest> manifests;
  for (const SurveyedCapture& capture : captures) {
    if (capture.complete) manifests_of(run.capture(capture.step));
    for (const std::string& name : capture.manifests) {
      const std::string path = run.capture(capture.step) + "/" + name;
      manifests.push_back({path, read_capture_rank(path)});
    }
  }
  return manifests;
}

}  // namespace samestep
