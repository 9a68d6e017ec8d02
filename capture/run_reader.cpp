#include "capture/run_reader.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "capture/run_folder.h"
#include "capture/step_log_reader.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/mapped_file.h"
#include "checkpoint/store.h"
#include "schemas/error.h"
#include "schemas/json/capture_json.h"

namespace samestep {
namespace {

/// The number between `before` and `after`; nothing when `name` is not made so.
std::optional<std::int64_t> number_in(std::string_view name, std::string_view before,
                                      std::string_view after) {
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  if (name.size() <= before.size() + after.size()) return std::nullopt;
  name = name.substr(before.size(), name.size() - before.size() - after.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<std::int64_t> rank_of_manifest(std::string_view name) {
  return number_in(name, "rank-", ".json");
}

std::string read_text(const std::string& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
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

/// The record in the manifest `path`, whose packs lie below the folder above its own.
RankRecord read_manifest(const std::string& path, const std::shared_ptr<const PackFolder>& packs) {
  RankRecord record;
  record.capture = capture_rank_from_json(read_text(path), path);
  record.rank = record.capture->boundary.rank;
  record.tree = tree_of(*record.capture, packs);
  return record;
}

std::vector<RankRecord> read_manifests(const std::string& folder) {
  const auto packs = std::make_shared<const PackFolder>(folder_of(folder));
  std::vector<RankRecord> records;
  for (const Entry& entry : list_folder(folder)) {
    if (rank_of_manifest(entry.path))
      records.push_back(read_manifest(folder + "/" + entry.path, packs));
  }
  std::ranges::sort(records, {}, &RankRecord::rank);
  return records;
}

bool is_complete(const std::string& folder) { return is_regular_file(folder + "/capture.json"); }

/// Folder of the latest complete capture; of the latest one with a manifest when none is complete.
std::optional<std::string> latest_capture(const RunFolder& run) {
  if (!is_folder(run.captures())) return std::nullopt;
  std::pair<bool, std::int64_t> best{false, -1};
  for (const Entry& entry : list_folder(run.captures())) {
    const auto step = number_in(entry.path, "", "");
    if (!step) continue;
    const std::string folder = run.capture(*step);
    const auto entries = list_folder(folder);
    const auto is_manifest = [](const Entry& e) { return rank_of_manifest(e.path).has_value(); };
    if (std::ranges::any_of(entries, is_manifest))
      best = std::max(best, {is_complete(folder), *step});
  }
  return best.second < 0 ? std::nullopt : std::optional(run.capture(best.second));
}

void add_logs(const RunFolder& run, std::vector<RankRecord>& records) {
  if (!is_folder(run.logs())) return;
  for (const Entry& entry : list_folder(run.logs())) {
    const auto rank = number_in(entry.path, "rank-", ".jsonl.zst");
    if (!rank) continue;
    auto record = std::ranges::find(records, *rank, &RankRecord::rank);
    if (record == records.end()) {
      record = records.insert(records.end(), RankRecord{});
      record->rank = static_cast<int>(*rank);
    }
    record->log = read_step_log(run.logs() + "/" + entry.path);
  }
  std::ranges::sort(records, {}, &RankRecord::rank);
}

void require_complete(const std::string& folder) {
  if (is_complete(folder)) return;
  throw Error(ErrorCode::corrupt, "the capture is incomplete: a rank did not record it", folder,
              "look at the logs of the run, and capture again");
}

}  // namespace

std::vector<RankRecord> read_run(const std::string& run) {
  const RunFolder names(run);
  if (!is_folder(names.root())) {
    throw Error(ErrorCode::not_found, "no record of a run", names.root(),
                "did the trainer start? it must be a Python that has samestep installed");
  }
  std::vector<RankRecord> records;
  if (const auto folder = latest_capture(names)) records = read_manifests(*folder);
  add_logs(names, records);
  return records;
}

std::vector<RankRecord> read_capture(const std::string& path) {
  if (is_regular_file(path)) {
    const auto packs = std::make_shared<const PackFolder>(folder_of(folder_of(path)));
    std::vector<RankRecord> records;
    records.push_back(read_manifest(path, packs));
    return records;
  }
  std::string folder = path;
  if (const RunFolder run(path); is_folder(run.root())) {
    const auto latest = latest_capture(run);
    if (!latest)
      throw Error(ErrorCode::not_found, "no capture in this run", path,
                  "capture one with `samestep audit`");
    folder = *latest;
  }
  require_complete(folder);
  return read_manifests(folder);
}

bool looks_like_capture(const std::string& path) noexcept {
  try {
    if (is_regular_file(path)) {
      return rank_of_manifest(name_of(path)) &&
             read_text(path).find("\"capture.v1\"") != std::string::npos;
    }
    return is_folder(RunFolder(path).captures()) || is_complete(path);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace samestep
