#include "capture/earlier_captures.h"

#include <sys/stat.h>

#include <algorithm>

#include "capture/run_reader.h"
#include "checkpoint/files/file_stamp.h"
#include "checkpoint/files/folder.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using Stamps = std::map<std::string, std::string>;

std::string stamp_of(const std::string& path) {
  const Stamps stamps = stamps_below(path);
  return stamps.empty() ? std::string() : stamps.begin()->second;
}

/// Of all manifests of the run.
Stamps manifest_stamps(const RunFolder& run) {
  Stamps stamps;
  if (!is_folder(run.captures())) return stamps;
  for (const Entry& capture : list_folder(run.captures())) {
    if (capture.kind != EntryKind::folder) continue;
    const std::string folder = run.captures() + "/" + capture.path;
    for (const Entry& entry : list_folder(folder)) {
      if (!rank_of_manifest(entry.path)) continue;
      const std::string path = folder + "/" + entry.path;
      stamps.emplace(path, stamp_of(path));
    }
  }
  return stamps;
}

/// The blobs whose pack is as long as it must be.
void leave_out_lost_blobs(const RunFolder& run, CaptureRank& capture) {
  std::map<std::string, std::uint64_t> sizes;
  const auto size_of = [&](const std::string& pack) {
    const auto [known, is_new] = sizes.emplace(pack, 0);
    struct stat status = {};
    if (is_new && ::stat((run.captures() + "/" + pack).c_str(), &status) == 0)
      known->second = static_cast<std::uint64_t>(status.st_size);
    return known->second;
  };
  std::erase_if(capture.blobs, [&](const auto& blob) {
    return blob.second.offset + blob.second.stored_bytes > size_of(blob.second.pack);
  });
}

}  // namespace

std::shared_ptr<const KnownBlobs> EarlierCaptures::known(const RunFolder& run) {
  const Stamps now = manifest_stamps(run);
  const bool only_more = std::ranges::all_of(stamps_, [&](const auto& stamp) {
    const auto found = now.find(stamp.first);
    return found != now.end() && found->second == stamp.second;
  });
  if (!only_more) {
    stamps_.clear();
    known_ = std::make_shared<KnownBlobs>();
  }
  for (const auto& [path, stamp] : now) {
    if (!stamps_.emplace(path, stamp).second) continue;
    try {
      CaptureRank capture = read_capture_rank(path);
      leave_out_lost_blobs(run, capture);
      known_->add(capture);
    } catch (const Error&) {
    }
  }
  return known_;
}

void EarlierCaptures::learn(const std::string& path, const CaptureRank& capture) {
  const bool replaced = !stamps_.emplace(path, stamp_of(path)).second;
  if (replaced) {
    // Nobody may need the blobs of the former one any more: they are looked for anew.
    stamps_[path].clear();
  } else {
    known_->add(capture);
  }
}

}  // namespace samestep
