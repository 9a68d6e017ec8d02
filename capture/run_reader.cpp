#include "capture/run_reader.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "capture/run_folder.h"
#include "capture/seal.h"
#include "capture/step_log_reader.h"
#include "checkpoint/field_summary.h"
#include "checkpoint/files/file_stamp.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/mapped_file.h"
#include "checkpoint/store.h"
#include "schemas/error.h"
#include "schemas/json/capture_json.h"

namespace samestep {
namespace {

constexpr int kRereadsMax = 3;

std::string_view text_of(const MappedFile& file) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string read_text(const std::string& path) {
  return std::string(text_of(*MappedFile::open(path)));
}

StateTree tree_of(const CaptureRank& capture, const std::shared_ptr<const PackFolder>& packs) {
  StateTree tree;
  for (const Field& field : capture.fields) {
    StateEntry entry{field, nullptr};
    const auto blob = capture.blobs.find(*field.digest);
    if (blob != capture.blobs.end()) {
      BlobClaim claim{
          {*field.digest, {}, field.bytes}, field.dtype, field.shape, field.path.text()};
      const auto chunks = capture.chunks.find(*field.digest);
      if (chunks != capture.chunks.end()) claim.digest.chunks = chunks->second;
      entry.bytes = blob_bytes(packs, blob->second, std::move(claim));
    }
    tree.add(std::move(entry));
  }
  return tree;
}

/// Keeps all packs of `capture` open; false when one is not there.
bool hold_packs(const CaptureRank& capture, const PackFolder& packs) {
  std::set<std::string> names;
  for (const auto& [digest, place] : capture.blobs) names.insert(place.pack);
  return std::ranges::count_if(names, [&](const auto& name) { return !packs.hold(name); }) == 0;
}

/// A manifest that was copied over another one would pass for a second rank.
void refuse_other_rank(const CaptureRank& capture, const std::string& path) {
  const auto rank = rank_of_manifest(name_of(path));
  if (!rank || *rank == capture.boundary.rank) return;
  throw Error(ErrorCode::corrupt, "is the record of rank " + std::to_string(capture.boundary.rank),
              path, "it was copied over another one: restore it, or record the capture again");
}

/// The record in the manifest `path`, whose packs lie below the folder above its own.
RankRecord read_manifest(const std::string& path, const std::shared_ptr<const PackFolder>& packs) {
  RankRecord record;
  auto stamps = stamps_below(path);
  record.capture = read_capture_rank(path);
  // Where a prune has rewritten packs between the two looks, the manifest has been rewritten
  // before.
  for (int again = 0; again < kRereadsMax && !hold_packs(*record.capture, *packs); ++again) {
    if (stamps == std::exchange(stamps, stamps_below(path))) break;
    record.capture = read_capture_rank(path);
  }
  refuse_other_rank(*record.capture, path);
  record.rank = record.capture->boundary.rank;
  record.tree = tree_of(*record.capture, packs);
  return record;
}

std::vector<std::string> manifests_in(const std::string& folder) {
  std::vector<std::string> manifests;
  for (const Entry& entry : list_folder(folder)) {
    if (rank_of_manifest(entry.path)) manifests.push_back(folder + "/" + entry.path);
  }
  return manifests;
}

/// Also of "." and of what ends in "..".
std::string above(const std::string& folder) {
  const std::string name = name_of(folder);
  return name == "." || name == ".." ? folder + "/.." : folder_of(folder);
}

std::vector<RankRecord> read_all(const std::vector<std::string>& manifests) {
  std::vector<RankRecord> records;
  if (manifests.empty()) return records;
  const auto packs = std::make_shared<const PackFolder>(above(folder_of(manifests.front())));
  for (const std::string& manifest : manifests) records.push_back(read_manifest(manifest, packs));
  std::ranges::sort(records, {}, &RankRecord::rank);
  return records;
}

bool is_complete(const std::string& folder) { return is_regular_file(folder + "/capture.json"); }

/// Folder of the latest complete capture; of the latest one with a manifest when none is complete.
std::optional<std::string> latest_capture(const RunFolder& run) {
  if (!is_folder(run.captures())) return std::nullopt;
  std::pair<bool, std::int64_t> best{false, -1};
  for (const Entry& entry : list_folder(run.captures())) {
    const auto step = step_of_folder(entry.path);
    if (!step) continue;
    const std::string folder = run.capture(*step);
    if (is_complete(folder) || !manifests_in(folder).empty())
      best = std::max(best, {is_complete(folder), *step});
  }
  return best.second < 0 ? std::nullopt : std::optional(run.capture(best.second));
}

void add_logs(const RunFolder& run, std::vector<RankRecord>& records) {
  if (!is_folder(run.logs())) return;
  for (const Entry& entry : list_folder(run.logs())) {
    const auto rank = rank_of_log(entry.path);
    if (!rank) continue;
    auto record = std::ranges::find(records, *rank, &RankRecord::rank);
    if (record == records.end()) {
      record = records.insert(records.end(), RankRecord{});
      record->rank = *rank;
    }
    record->log = read_step_log(run.logs() + "/" + entry.path);
  }
  std::ranges::sort(records, {}, &RankRecord::rank);
}

/// Of one complete capture: `path` is one of them, the capture's folder or its run's.
std::vector<std::string> manifests_at(const std::string& path) {
  if (is_regular_file(path)) return {path};
  std::string folder = path;
  if (const RunFolder run(path); is_folder(run.root())) {
    const auto latest = latest_capture(run);
    if (!latest)
      throw Error(ErrorCode::not_found, "no capture in this run", path,
                  "capture one with `samestep audit`");
    folder = *latest;
  }
  return manifests_of(folder);
}

}  // namespace

std::vector<std::string> manifests_of(const std::string& folder) {
  if (!is_complete(folder))
    throw Error(ErrorCode::corrupt, "the capture is incomplete: a rank did not record it", folder,
                "look at the logs of the run, and capture again");
  const std::string path = folder + "/capture.json";
  const std::string text = read_text(path);
  check_seal(text, path);
  std::vector<std::string> manifests;
  for (const std::string& name : capture_world_from_json(text, path).ranks) {
    manifests.emplace_back(folder).append("/").append(name);
    if (!is_regular_file(manifests.back()))
      throw Error(ErrorCode::corrupt, "the record of a rank is missing", manifests.back(),
                  "copy it back from where the run was recorded, or record the capture again");
  }
  return manifests;
}

CaptureRank read_capture_rank(const std::string& path) {
  const std::string text = read_text(path);
  check_seal(text, path);
  CaptureRank capture = capture_rank_from_json(text, path);
  if (capture.summary && *capture.summary != summary_of(capture.fields))
    throw Error(ErrorCode::corrupt, "the summary of the fields is not that of the fields", path,
                "the file was changed: restore it, or record the capture again");
  return capture;
}

std::vector<RankRecord> read_run(const std::string& run) {
  const RunFolder names(run);
  if (!is_folder(names.root())) {
    throw Error(ErrorCode::not_found, "no record of a run", names.root(),
                "did the trainer start? it must be a Python that has samestep installed");
  }
  std::vector<RankRecord> records;
  if (const auto folder = latest_capture(names)) {
    records = read_all(is_complete(*folder) ? manifests_of(*folder) : manifests_in(*folder));
  }
  add_logs(names, records);
  return records;
}

std::optional<std::vector<CaptureHead>> read_capture_heads(const std::string& path) {
  std::vector<CaptureHead> heads;
  for (const std::string& manifest : manifests_at(path)) {
    const auto file = MappedFile::open(manifest);
    const std::string_view text = text_of(*file);
    check_seal(text, manifest);
    auto head = capture_head_from_json(text, manifest);
    if (!head) return std::nullopt;
    heads.push_back(std::move(*head));
  }
  std::ranges::sort(heads, {}, [](const CaptureHead& head) { return head.boundary.rank; });
  return heads;
}

std::vector<RankRecord> read_capture(const std::string& path) {
  return read_all(manifests_at(path));
}

std::string captures_folder(const std::string& path) {
  if (is_regular_file(path)) return above(folder_of(path));
  const RunFolder run(path);
  return is_folder(run.root()) ? run.captures() : above(path);
}

void add_logs_beside(const std::string& path, std::vector<RankRecord>& records) {
  const std::string root = above(captures_folder(path));
  for (RankRecord& record : records) {
    const std::string log = root + "/log/rank-" + std::to_string(record.rank) + ".jsonl.zst";
    try {
      record.log = read_step_log(log);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::not_found) continue;
      record.log_trouble =
          error.where() + ": " + error.message() + "; the capture is judged without it";
    }
  }
}

bool looks_like_capture(const std::string& path) noexcept {
  try {
    if (is_regular_file(path)) {
      return rank_of_manifest(name_of(path)) &&
             read_text(path).find("\"capture.v") != std::string::npos;
    }
    return is_folder(RunFolder(path).captures()) || is_complete(path);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace samestep
