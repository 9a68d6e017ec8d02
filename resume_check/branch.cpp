#include "resume_check/branch.h"

#include <algorithm>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/glob.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::size_t kNamesShown = 6;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    text += (i ? ", " : "") + names[i];
  }
  return names.size() > kNamesShown ? text + ", ..." : text;
}

std::vector<std::string> entries_of(const std::string& out) {
  std::vector<std::string> names;
  if (!is_folder(out)) return names;
  for (const auto& entry : list_folder(out)) names.push_back(entry.path);
  return names;
}

/// Entries that look like checkpoints; a folder that is one hides what is in it.
std::vector<std::string> lookalikes(const std::string& out, const std::string& below, int depth) {
  std::vector<std::string> found;
  if (!is_folder(out + "/" + below)) return found;
  for (const auto& entry : list_folder(out + "/" + below)) {
    const std::string path = below.empty() ? entry.path : below + "/" + entry.path;
    if (looks_like_checkpoint(out + "/" + path)) {
      found.push_back(path);
    } else if (entry.kind == EntryKind::folder && depth > 1) {
      const auto inner = lookalikes(out, path, depth - 1);
      found.insert(found.end(), inner.begin(), inner.end());
    }
  }
  return found;
}

}  // namespace

std::string find_checkpoint(const std::string& out, const std::string& glob) {
  const auto found = glob.empty() ? lookalikes(out, "", 2) : find_matches(out, glob);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    const auto names = entries_of(out);
    throw Error(ErrorCode::not_found,
                glob.empty() ? "no checkpoint was written"
                             : "no checkpoint was written: nothing matches --checkpoint " + glob,
                out,
                names.empty()
                    ? "the folder is empty; make the command save below {out}"
                    : "the folder holds " + listed(names) + "; give a pattern that matches one");
  }
  throw Error(ErrorCode::usage,
              std::to_string(found.size()) + " checkpoints match" +
                  (glob.empty() ? std::string() : " --checkpoint " + glob) + ": " + listed(found),
              out, "give a --checkpoint pattern that matches one");
}

std::string filled_in(std::string argument, const std::string& out, const std::string& checkpoint) {
  const auto replace = [&](std::string_view mark, const std::string& text) {
    for (std::size_t at = 0; (at = argument.find(mark, at)) != std::string::npos;
         at += text.size()) {
      argument.replace(at, mark.size(), text);
    }
  };
  replace("{out}", out);
  replace("{checkpoint}", checkpoint);
  return argument;
}

}  // namespace samestep
