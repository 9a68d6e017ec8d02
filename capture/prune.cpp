#include "capture/prune.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include "capture/captures_survey.h"
#include "capture/pack_rewrite.h"
#include "capture/run_folder.h"
#include "capture/run_reader.h"
#include "capture/seal.h"
#include "checkpoint/files/file_lock.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/system_error.h"
#include "checkpoint/files/whole_file.h"
#include "schemas/error.h"
#include "schemas/json/capture_json.h"

namespace samestep {
namespace {

// A pack is rewritten when at least this part of it is not needed: copying has its price.
constexpr std::uint64_t kWasteShare = 4;

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    throw system_error(errno, "cannot remove", path);
}

class Pruner {
 public:
  Pruner(const std::string& run, const PruneChoice& choice)
      : run_(run), choice_(choice), survey_(survey_captures(run_)) {}

  PruneOutcome work() {
    choose();
    manifests_ = read_manifests(run_, kept_);
    judge_packs();
    if (!choice_.dry_run) {
      rewrite_packs();
      replace_manifests();
      remove_captures();
      remove_files();
    }
    return std::move(outcome_);
  }

 private:
  void choose() {
    for (const std::int64_t step : choice_.steps) {
      if (!std::ranges::count(survey_.captures, step, &SurveyedCapture::step))
        throw Error(ErrorCode::not_found, "there is no capture of step " + std::to_string(step),
                    run_.captures(), "choose among " + steps_text());
    }
    const auto complete = std::ranges::count_if(survey_.captures, &SurveyedCapture::complete);
    std::int64_t seen = 0;
    for (const SurveyedCapture& capture : survey_.captures) {
      if (capture.complete) ++seen;
      const bool is_last = capture.complete && choice_.last && complete - seen < *choice_.last;
      const bool under_way = !capture.complete && seen == complete;
      const bool kept =
          choice_.keeps_all() || choice_.steps.contains(capture.step) || is_last || under_way;
      (kept ? outcome_.kept : outcome_.removed).push_back(capture.step);
      if (kept) kept_.push_back(capture);
      if (kept && under_way)
        outcome_.notes.emplace_back(
            "capture " + std::to_string(capture.step) +
            " is incomplete and newer than all others: kept, a rank may still "
            "be writing it");
    }
  }

  std::string steps_text() const {
    std::string text;
    for (const SurveyedCapture& capture : survey_.captures)
      text += (text.empty() ? "" : ", ") + std::to_string(capture.step);
    return text.empty() ? "none: the run has no captures" : text;
  }

  void judge_packs() {
    std::map<std::string, std::map<std::uint64_t, std::uint64_t>> needed;
    for (const ReadManifest& manifest : manifests_) {
      for (const auto& [digest, place] : manifest.capture.blobs)
        needed[place.pack].emplace(place.offset, place.stored_bytes);
    }
    for (const auto& [name, places] : needed) {
      if (!survey_.packs.contains(name))
        outcome_.notes.emplace_back("pack " + name + " is missing: what it held cannot be read");
    }
    for (const auto& [name, bytes] : survey_.packs) {
      PrunedPack pack{name, PrunedPack::Fate::kept, bytes, 0};
      for (const auto& [offset, stored] : needed[name]) pack.bytes_needed += stored;
      if (needed[name].empty()) {
        pack.fate = PrunedPack::Fate::removed;
      } else if (!choice_.keeps_all() && pack.bytes_needed + bytes / kWasteShare < bytes) {
        pack.fate = PrunedPack::Fate::rewritten;
      }
      if (pack.fate != PrunedPack::Fate::kept)
        outcome_.bytes_freed += bytes - std::min(bytes, pack.bytes_needed);
      outcome_.packs.push_back(std::move(pack));
    }
    outcome_.leftovers = survey_.leftovers.size();
  }

  void rewrite_packs() {
    for (PrunedPack& pack : outcome_.packs) {
      if (pack.fate != PrunedPack::Fate::rewritten) continue;
      try {
        rewrite_pack(run_, pack.name, manifests_);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::corrupt) throw;
        pack.fate = PrunedPack::Fate::kept;
        outcome_.bytes_freed -= pack.bytes - pack.bytes_needed;
        outcome_.notes.emplace_back("pack " + pack.name + " is left as it is: " + error.what());
      }
    }
  }

  /// Those whose blobs have moved: what is not removed yet is still there for who reads the old
  /// one.
  void replace_manifests() {
    for (const ReadManifest& manifest : manifests_) {
      const std::string text = sealed(capture_rank_to_json(manifest.capture));
      if (read_capture_rank(manifest.path).blobs != manifest.capture.blobs)
        write_whole_file(manifest.path, text);
    }
  }

  /// Without capture.json a capture is none; then it does not matter what of it is there.
  void remove_captures() {
    for (const std::int64_t step : outcome_.removed) {
      remove_file(run_.world(step));
      sync_folder(run_.capture(step));
    }
    for (const SurveyedCapture& capture : survey_.captures) {
      if (!std::ranges::count(outcome_.removed, capture.step)) continue;
      for (const std::string& name : capture.manifests)
        remove_file(run_.capture(capture.step) + "/" + name);
      sync_folder(run_.capture(capture.step));
    }
  }

  void remove_files() {
    for (const PrunedPack& pack : outcome_.packs) {
      if (pack.fate != PrunedPack::Fate::kept) remove_file(run_.captures() + "/" + pack.name);
    }
    for (const std::string& name : survey_.leftovers) remove_file(run_.captures() + "/" + name);
    for (const std::int64_t step : survey_.folders) {
      if (list_folder(run_.capture(step)).empty()) remove_tree(run_.capture(step));
    }
    sync_folder(run_.captures());
  }

  RunFolder run_;
  const PruneChoice& choice_;
  CapturesSurvey survey_;
  std::vector<SurveyedCapture> kept_;
  std::vector<ReadManifest> manifests_;
  PruneOutcome outcome_;
};

}  // namespace

std::string_view to_string(PrunedPack::Fate fate) noexcept {
  switch (fate) {
    case PrunedPack::Fate::kept:
      return "kept";
    case PrunedPack::Fate::rewritten:
      return "rewritten";
    case PrunedPack::Fate::removed:
      return "removed";
  }
  return "kept";
}

PruneOutcome prune_run(const std::string& run, const PruneChoice& choice) {
  const RunFolder folder(run);
  if (!is_folder(folder.captures())) {
    throw Error(ErrorCode::not_found, "no captures", folder.captures(),
                "name the run folder, in which .samestep lies");
  }
  FileLock lock;
  if (!choice.dry_run)
    lock = FileLock(folder.store_lock(), FileLock::Kind::exclusive, choice.wait_ms_max,
                    "a capture is being written, or another prune is at work");
  return Pruner(run, choice).work();
}

}  // namespace samestep
