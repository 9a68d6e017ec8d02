#include "capture/record_check.h"

#include <map>
#include <optional>

#include "capture/run_folder.h"
#include "capture/step_log_reader.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/mapped_file.h"
#include "checkpoint/store.h"
#include "schemas/error.h"

namespace samestep {
namespace {

FileTrouble trouble_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::not_found:
      return FileTrouble::missing;
    case ErrorCode::corrupt:
      return FileTrouble::damaged;
    case ErrorCode::unsupported:
      return FileTrouble::inconsistent;
    default:
      return FileTrouble::unreadable;
  }
}

/// A pack as it lies on the disk.
struct PackState {
  std::uint64_t bytes = 0;  ///< as far as it goes
  FileTrouble trouble = FileTrouble::damaged;
  std::string message;
};

PackState look_at(const PackFolder& packs, const std::string& pack) {
  PackState state;
  try {
    state.bytes = packs.open(pack)->bytes().size();
    state.message = "ends too early, after " + std::to_string(state.bytes) + " bytes";
  } catch (const Error& error) {
    state.trouble = trouble_of(error);
    const bool is_missing = state.trouble == FileTrouble::missing;
    state.message = is_missing ? "is not there" : error.message();
  }
  return state;
}

class PackCheck {
 public:
  explicit PackCheck(const std::string& captures) : packs_(captures) {}

  void add(const RankRecord& record) {
    const CaptureRank& capture = *record.capture;
    for (const StateEntry& entry : record.tree.entries()) {
      const auto blob = capture.blobs.find(*entry.field.digest);
      if (blob == capture.blobs.end()) continue;
      const BlobPlace& place = blob->second;
      const PackState& pack = state_of(place.pack);
      if (place.offset <= pack.bytes && place.stored_bytes <= pack.bytes - place.offset) continue;
      PackTrouble& trouble = found_[place.pack];
      trouble.name = "captures/" + place.pack;
      trouble.trouble = pack.trouble;
      trouble.message = pack.message;
      trouble.fields.emplace_back(record.rank, entry.field.path.text());
      trouble.captures.insert(capture.completed);
    }
  }

  std::vector<PackTrouble> take() {
    if (!found_.empty()) ask_others();
    std::vector<PackTrouble> troubles;
    for (auto& [pack, trouble] : found_) troubles.push_back(std::move(trouble));
    return troubles;
  }

 private:
  const PackState& state_of(const std::string& pack) {
    const auto known = states_.find(pack);
    return known != states_.end() ? known->second
                                  : states_.emplace(pack, look_at(packs_, pack)).first->second;
  }

  void ask_others() {
    for (const Entry& entry : list_folder(packs_.path())) {
      const auto step = step_of_folder(entry.path);
      const std::string folder = packs_.path() + "/" + entry.path;
      if (!step || !is_folder(folder)) continue;
      for (const Entry& file : list_folder(folder)) {
        if (rank_of_manifest(file.path)) ask(folder + "/" + file.path, *step);
      }
    }
  }

  void ask(const std::string& manifest, std::int64_t step) try {
    for (const auto& [digest, place] : read_capture_rank(manifest).blobs) {
      const auto trouble = found_.find(place.pack);
      if (trouble != found_.end() && !trouble->second.captures.contains(step))
        trouble->second.others.insert(step);
    }
  } catch (const Error&) {  // whoever asks about that capture is told
  }

  PackFolder packs_;
  std::map<std::string, PackState> states_;
  std::map<std::string, PackTrouble> found_;
};

/// `error` about the step log `file`, without its path: a place inside stands behind that.
std::string text_of(const Error& error, const std::string& file) {
  const std::size_t name = error.where().rfind(file);
  if (name == std::string::npos || name + file.size() >= error.where().size())
    return error.message();
  return error.where().substr(name + file.size() + 1) + ": " + error.message();
}

class LogCheck {
 public:
  explicit LogCheck(std::string folder) : folder_(std::move(folder)) {}

  /// `captured`: the rank came as far as a capture, so that its log must have begun.
  void add(int rank, bool captured) {
    file_ = "rank-" + std::to_string(rank) + ".jsonl.zst";
    try {
      judge(read_step_log(folder_ + "/" + file_), rank, captured);
    } catch (const Error& error) {
      const auto kind = trouble_of(error);
      const bool is_too_long = error.code() == ErrorCode::limit;  // to be read, not to be right
      add(kind, kind == FileTrouble::missing ? "is not there" : text_of(error, file_), is_too_long);
    }
  }

  std::vector<LogTrouble> take() { return std::move(troubles_); }

 private:
  void add(FileTrouble kind, std::string message, bool harmless = false) {
    troubles_.push_back({"log/" + file_, kind, std::move(message), harmless});
  }

  void judge(const StepLog& log, int rank, bool captured) {
    if (log.lines == 0) {
      add(FileTrouble::incomplete, "holds nothing, not even its head", !captured);
    } else if (log.rank != rank) {
      add(FileTrouble::inconsistent, "is the log of rank " + std::to_string(log.rank));
    } else if (log.torn) {
      add(FileTrouble::incomplete,
          "ends in half a record: the process was killed while it wrote; what stands before it is "
          "whole",
          true);
    }
  }

  std::string folder_, file_;
  std::vector<LogTrouble> troubles_;
};

}  // namespace

const char* to_string(FileTrouble trouble) noexcept {
  switch (trouble) {
    case FileTrouble::missing:
      return "missing";
    case FileTrouble::unreadable:
      return "unreadable";
    case FileTrouble::damaged:
      return "damaged";
    case FileTrouble::incomplete:
      return "incomplete";
    case FileTrouble::inconsistent:
      return "inconsistent";
  }
  return "damaged";
}

std::vector<PackTrouble> check_packs(const std::string& path,
                                     const std::vector<RankRecord>& records) {
  PackCheck check(captures_folder(path));
  for (const RankRecord& record : records) {
    if (record.capture) check.add(record);
  }
  return check.take();
}

std::vector<LogTrouble> check_logs(const std::string& run, const std::set<int>& ranks) {
  const std::string folder = RunFolder(run).logs();
  if (!is_folder(folder)) return {};
  std::set<int> all = ranks;
  for (const Entry& entry : list_folder(folder)) {
    if (const auto rank = rank_of_log(entry.path)) all.insert(*rank);
  }
  LogCheck check(folder);
  for (const int rank : all) check.add(rank, ranks.contains(rank));
  return check.take();
}

OtherCaptures other_captures(const std::string& run, const std::vector<RankRecord>& records) {
  const RunFolder folder(run);
  OtherCaptures others;
  if (!is_folder(folder.captures())) return others;
  for (const Entry& entry : list_folder(folder.captures())) {
    const auto step = step_of_folder(entry.path);
    if (!step || !is_folder(folder.capture(*step))) continue;
    const bool is_complete = is_regular_file(folder.world(*step));
    (is_complete ? others.complete : others.incomplete).insert(*step);
  }
  for (const RankRecord& record : records) {
    if (record.capture) others.complete.erase(record.capture->completed);
  }
  return others;
}

}  // namespace samestep
