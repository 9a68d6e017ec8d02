#include "checkpoint/files/glob.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>

#include "checkpoint/files/folder.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr int kFoldersDeepMax = 64;

std::vector<std::string> parts_of(const std::string& pattern) {
  const char* const remedy = "give a pattern relative to the output folder, e.g. \"checkpoint-*\"";
  if (pattern.starts_with('/'))
    throw Error(ErrorCode::usage, "a glob must be relative", pattern, remedy);
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= pattern.size()) {
    const std::size_t end = std::min(pattern.find('/', begin), pattern.size());
    std::string part = pattern.substr(begin, end - begin);
    if (part == "..")
      throw Error(ErrorCode::usage, "a glob must not leave its folder", pattern, remedy);
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
    begin = end + 1;
  }
  if (parts.empty()) throw Error(ErrorCode::usage, "a glob is empty", pattern, remedy);
  return parts;
}

class Walk {
 public:
  Walk(std::string base, std::vector<std::string> parts)
      : base_(std::move(base)), parts_(std::move(parts)) {}

  std::vector<std::string> run() {
    below("", 0, 0);
    std::ranges::sort(found_);
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  // A folder may vanish while we look: then it matches nothing.
  std::vector<Entry> entries_of(const std::string& folder) const {
    try {
      return list_folder(base_ + "/" + folder);
    } catch (const Error&) {
      return {};
    }
  }

  bool leads_on(const std::string& path) const { return is_folder(base_ + "/" + path); }

  void below(const std::string& folder, std::size_t part, int depth) {
    if (depth > kFoldersDeepMax) return;
    const bool any_depth = parts_[part] == "**";
    if (any_depth && part + 1 < parts_.size()) below(folder, part + 1, depth);
    for (const Entry& entry : entries_of(folder)) {
      const std::string path = folder.empty() ? entry.path : folder + "/" + entry.path;
      if (::fnmatch(any_depth ? "*" : parts_[part].c_str(), entry.path.c_str(), FNM_PERIOD) != 0)
        continue;
      if (part + 1 == parts_.size()) found_.push_back(path);
      if (any_depth && entry.kind == EntryKind::folder) below(path, part, depth + 1);
      if (!any_depth && part + 1 < parts_.size() && leads_on(path))
        below(path, part + 1, depth + 1);
    }
  }

  std::string base_;
  std::vector<std::string> parts_;
  std::vector<std::string> found_;
};

}  // namespace

void check_glob(const std::string& pattern) { parts_of(pattern); }

std::vector<std::string> find_matches(const std::string& base, const std::string& pattern) {
  return Walk(base, parts_of(pattern)).run();
}

}  // namespace samestep
