#include "checkpoint/formats/layouts/deepspeed.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "checkpoint/formats/document_union.h"
#include "checkpoint/formats/folder_reader.h"
#include "checkpoint/formats/layouts/ranks.h"
#include "checkpoint/formats/layouts/tracker.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr const char* kLatest = "latest";
constexpr std::string_view kOptimizer = "_optim_states.pt";
constexpr std::string_view kModel = "_model_states.pt";

/// "[bf16_|fp16_]zero_pp_rank_<data>_mp_rank_<model>_optim_states.pt" taken apart.
struct Part {
  std::string prefix, suffix;  ///< around the data-parallel rank
  int rank = 0;
};

std::optional<Part> zero_part(std::string_view name) {
  constexpr std::string_view kRank = "zero_pp_rank_", kModelRank = "_mp_rank_";
  const std::size_t begin = name.find(kRank);
  if (begin == std::string_view::npos || !(name.ends_with(kOptimizer) || name.ends_with(kModel)))
    return std::nullopt;
  const std::size_t digits = begin + kRank.size();
  const std::size_t end = name.find(kModelRank, digits);
  if (end == std::string_view::npos) return std::nullopt;
  const auto rank = number_in(name.substr(digits, end - digits + 1), "", "_");
  if (!rank) return std::nullopt;
  return Part{std::string(name.substr(0, digits)), std::string(name.substr(end)), *rank};
}

bool is_states_name(std::string_view name) {
  return zero_part(name) || (name.starts_with("mp_rank_") && name.ends_with(kModel));
}

bool is_tag_folder(const Folder& folder, const std::string& at) {
  const auto files = files_in(folder, at);
  return std::any_of(files.begin(), files.end(),
                     [](const std::string& path) { return is_states_name(file_name(path)); });
}

/// The data-parallel world size that a model_states file records; 0 when none does.
int world_size(const Document& document) {
  for (const Leaf& leaf : document.leaves) {
    const auto* size = std::get_if<std::int64_t>(&leaf.value);
    if (size && leaf.source.keys.size() == 1 && leaf.source.keys[0].text == "dp_world_size")
      return static_cast<int>(std::clamp<std::int64_t>(*size, 0, 1 << 20));
  }
  return 0;
}

Document read_tag(const Folder& folder, const std::string& at) {
  Document document = read_union(folder, at);
  document.format = "DeepSpeed folder";
  std::map<std::pair<std::string, std::string>, std::set<int>> rows;
  bool model = false;
  for (const std::string& path : files_in(folder, at)) {
    const std::string_view name = file_name(path);
    model = model || name.ends_with(kModel);
    if (const auto part = zero_part(name)) rows[{part->prefix, part->suffix}].insert(part->rank);
  }
  const auto missing = [&](const std::string& name, const std::string& why) {
    document.problems.push_back(
        {Problem::Kind::incomplete, join_path(at, name), "is missing: " + why});
  };
  if (!model) missing("mp_rank_00_model_states.pt", "there are no model states");
  const int ranks = world_size(document);
  for (const auto& [around, numbers] : rows)
    for (const int rank : missing_numbers(numbers, ranks))
      missing(around.first + std::to_string(rank) + around.second,
              "the states of data-parallel rank " + std::to_string(rank) + " of " +
                  std::to_string(std::max(ranks, *numbers.rbegin() + 1)));
  return document;
}

}  // namespace

bool is_deepspeed(const Folder& folder, const std::string& at) {
  if (is_tag_folder(folder, at)) return true;
  if (!folder.has(join_path(at, kLatest))) return false;
  const auto folders = folders_in(folder, at);
  return (folders.empty() && files_in(folder, at).size() == 1) ||
         std::any_of(folders.begin(), folders.end(), [&](const std::string& name) {
           return is_tag_folder(folder, join_path(at, name));
         });
}

Document read_deepspeed(const Folder& folder, const std::string& at) {
  const std::string latest = join_path(at, kLatest);
  if (!folder.has(latest)) return read_tag(folder, at);
  const std::string tag = tracked_name(folder, latest);
  const std::string tag_folder = join_path(at, tag);
  Document document;
  document.format = "DeepSpeed folder";
  document.notes.push_back(printable(latest) + " names " + printable(tag) + ", which is read");
  for (const std::string& name : folders_in(folder, at))
    if (name != tag)
      document.notes.push_back(printable(join_path(at, name)) +
                               ": not the tag that latest names, not read");
  if (folder.has_below(tag_folder)) {
    append_document(document, read_tag(folder, tag_folder));
  } else {
    document.problems.push_back({Problem::Kind::incomplete, latest,
                                 "names the tag \"" + printable(tag) + "\", which is not there"});
  }
  return document;
}

}  // namespace samestep
