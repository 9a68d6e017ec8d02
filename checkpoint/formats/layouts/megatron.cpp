#include "checkpoint/formats/layouts/megatron.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "checkpoint/formats/dcp.h"
#include "checkpoint/formats/document_union.h"
#include "checkpoint/formats/file_reader.h"
#include "checkpoint/formats/folder_reader.h"
#include "checkpoint/formats/layouts/ranks.h"
#include "checkpoint/formats/layouts/tracker.h"
#include "schemas/error.h"
#include "schemas/json/node.h"

namespace samestep {
namespace {

constexpr const char* kTracker = "latest_checkpointed_iteration.txt";
constexpr const char* kMetadata = "metadata.json";
constexpr const char* kCommon = "common.pt";

bool names_back_end(const Folder& folder, const std::string& at) {
  const std::string path = join_path(at, kMetadata);
  if (!folder.has(path)) return false;
  const FileSlice slice = folder.open(path);
  const std::string_view text(reinterpret_cast<const char*>(slice.bytes.data()),
                              std::min<std::size_t>(slice.bytes.size(), 4096));
  return text.find("\"sharded_backend\"") != std::string_view::npos;
}

/// "iter_0000005" -> 5.
std::optional<int> iteration_of(std::string_view folder) { return number_in(folder, "iter_", ""); }

std::string iteration_folder(int iteration) {
  char text[32];
  std::snprintf(text, sizeof text, "iter_%07d", iteration);
  return text;
}

void check_iteration(const std::string& at, Document& document) {
  const auto expected = iteration_of(file_name(at));
  for (const Leaf& leaf : document.leaves) {
    if (leaf.source.keys.size() != 1 || leaf.source.keys[0].text != "iteration") continue;
    const auto* found = std::get_if<std::int64_t>(&leaf.value);
    if (found && expected && *found != *expected)
      document.problems.push_back(
          {Problem::Kind::inconsistent, leaf.source.file + ": iteration",
           "is " + std::to_string(*found) + ", but the folder is " + printable(at)});
  }
}

Document read_iteration(const Folder& folder, const std::string& at) {
  Document document;
  if (is_dcp(folder, at)) {
    document = read_dcp(folder, at);
    document.format = "Megatron torch_dist";
    const std::string common = join_path(at, kCommon);
    if (folder.has(common)) {
      append_document(document, read_file(folder.open(common)));
    } else {
      document.problems.push_back(
          {Problem::Kind::incomplete, common,
           "is missing: iteration, arguments, schedule and parameter groups are lost"});
    }
    for (const std::string& path : files_in(folder, at)) {
      const std::string_view name = file_name(path);
      if (name != kCommon && name != kMetadata && name != ".metadata" && !name.ends_with(".distcp"))
        document.notes.push_back(printable(path) +
                                 ": no part of a torch_dist checkpoint, not read");
    }
  } else {
    document = read_union(folder, at);
    document.format = "Megatron";
  }
  check_iteration(at, document);
  return document;
}

}  // namespace

bool is_megatron(const Folder& folder, const std::string& at) {
  return folder.has(join_path(at, kTracker)) || names_back_end(folder, at);
}

Document read_megatron(const Folder& folder, const std::string& at) {
  const std::string tracker = join_path(at, kTracker);
  if (!folder.has(tracker)) return read_iteration(folder, at);
  const std::string word = tracked_name(folder, tracker);
  const auto iteration = number_in(word, "", "");
  const std::string name =
      iteration ? iteration_folder(*iteration) : word;  // "release": converted weights
  Document document;
  document.format = "Megatron torch_dist";
  document.notes.push_back(printable(tracker) + " names " + printable(name) + ", which is read");
  const auto folders = folders_in(folder, at);
  for (const std::string& other : folders)
    if (other != name)
      document.notes.push_back(printable(join_path(at, other)) +
                               ": not the iteration that the tracker names, not read");
  if (std::find(folders.begin(), folders.end(), name) != folders.end()) {
    Document part = read_iteration(folder, join_path(at, name));
    document.format = part.format;
    append_document(document, std::move(part));
  } else {
    document.problems.push_back({Problem::Kind::incomplete, tracker,
                                 "names \"" + printable(word) + "\", but " +
                                     printable(join_path(at, name)) + " is not there"});
  }
  return document;
}

}  // namespace samestep
