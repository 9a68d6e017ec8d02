#include "checkpoint/several.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checkpoint/folder.h"
#include "checkpoint/formats/file_format.h"
#include "checkpoint/formats/file_reader.h"
#include "checkpoint/formats/folder_reader.h"
#include "checkpoint/formats/layouts/folder_layout.h"
#include "checkpoint/formats/stateless_file.h"
#include "checkpoint/naming/name.h"
#include "checkpoint/naming/ranks.h"
#include "checkpoint/naming/step.h"
#include "checkpoint/naming/vocabulary.h"
#include "schemas/count_text.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr int kDepthMax = 4;
constexpr std::size_t kFamiliesMax = 16, kListedMax = 8;

/// Names that differ in numbers only: "step-2.pt" and "step-4.pt" are of the family "step-#.pt".
std::string family_of(const std::string& name) {
  std::string family;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) {
      family += c;
    } else if (family.empty() || family.back() != '#') {
      family += '#';
    }
  }
  return family;
}

/// A word by which trainers name the moments of a run.
bool names_a_moment(std::string family) {
  constexpr std::array<std::string_view, 20> kWords{
      "step",      "steps",      "checkpoint", "ckpt",   "epoch",    "ep",    "iter",
      "iteration", "iterations", "it",         "update", "global",   "batch", "ba",
      "last",      "latest",     "best",       "final",  "snapshot", "save"};
  std::replace(family.begin(), family.end(), '#', '-');
  const auto words = words_of(family);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return has_word(words, word); });
}

bool is_part(const std::string& name) {
  return name.find("-of-") != std::string::npos || rank_in_name(name).has_value();
}

/// "global_step9" before "global_step10".
bool is_earlier(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// What one file or folder holds.
struct Unit {
  std::string name;
  std::map<std::string, std::vector<std::int64_t>> tensors;  ///< keys -> shape
  std::optional<std::int64_t> step;
  std::optional<ComponentKind> kind;  ///< as its name says
};

std::string key_of(const Leaf& leaf, std::size_t file_prefix) {
  std::string text = leaf.source.file.substr(std::min(file_prefix, leaf.source.file.size()));
  for (const SourceKey& key : leaf.source.keys) text += '\0' + key.text;
  return text;
}

Unit unit_of(const std::string& name, Document document, std::size_t file_prefix) {
  Unit unit{name, {}, {}, kind_by_name(stem_of(name))};
  for (const Leaf& leaf : document.leaves)
    if (leaf.kind == FieldKind::tensor) unit.tensors.emplace(key_of(leaf, file_prefix), leaf.shape);
  const StateTree tree = name_document(std::move(document));
  if (const auto step = checkpoint_step(tree)) unit.step = step->step;
  return unit;
}

/// At least half of the smaller one's tensors are in both.
bool hold_the_same(const Unit& a, const Unit& b) {
  std::size_t shared = 0;
  for (const auto& tensor : a.tensors) {
    const auto other = b.tensors.find(tensor.first);
    if (other != b.tensors.end() && other->second == tensor.second) ++shared;
  }
  return shared > 0 && 2 * shared >= std::min(a.tensors.size(), b.tensors.size());
}

/// Two moments of one state.
bool are_moments(const Unit& a, const Unit& b) {
  const bool family = family_of(a.name) == family_of(b.name);
  const bool named = names_a_moment(family_of(a.name)) || names_a_moment(family_of(b.name));
  if (!hold_the_same(a, b) || a.kind != b.kind) return false;
  if (family && a.step && b.step) return *a.step != *b.step;
  return named;
}

class Search {
 public:
  explicit Search(const std::string& path) : path_(path), folder_(path) {}

  void run() const { search("", 0); }

 private:
  using Families = std::map<std::string, std::vector<std::string>>;

  bool has_layout(const std::string& at) const {
    return std::any_of(layouts().begin(), layouts().end(),
                       [&](const FolderLayout& layout) { return layout.matches(folder_, at); });
  }

  void search(const std::string& at, int depth) const {
    if (depth > kDepthMax || has_layout(at)) return;
    Families files, folders;
    for (const std::string& path : files_in(folder_, at)) {
      const std::string name(file_name(path));
      if (!is_part(name) && !is_alias(path) && holds_state(path))
        files[family_of(name)].push_back(name);
    }
    const auto names = folders_in(folder_, at);
    for (const std::string& name : names)
      if (!is_part(name)) folders[family_of(name)].push_back(name);
    refuse(at, files);
    refuse(at, folders);
    for (const std::string& name : names) search(join_path(at, name), depth + 1);
  }

  /// A link to a file of the same folder.
  bool is_alias(const std::string& path) const {
    const auto& files = folder_.files();
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const FolderFile& file) { return file.path == path; });
    return found != files.end() && !found->target.empty() &&
           folder_name(found->target) == folder_name(path);
  }

  bool holds_state(const std::string& path) const {
    if (stateless_reason(path) != nullptr) return false;
    const FileFormat format = file_format(folder_.open(path).bytes);
    return format != FileFormat::unknown && format != FileFormat::empty &&
           format != FileFormat::json;
  }

  std::optional<Unit> read(const std::string& path) const {
    const std::string name(file_name(path));
    try {
      if (folder_.has(path)) return unit_of(name, read_file(folder_.open(path)), path.size());
      return unit_of(name, read_folder(folder_, path), path.size());
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  /// The first and the last of each family stand for it.
  void refuse(const std::string& at, Families& families) const {
    std::vector<std::pair<Unit, const std::vector<std::string>*>> seen;
    for (auto& [family, names] : families) {
      std::sort(names.begin(), names.end(), is_earlier);
      const bool alone = names.size() < 2;
      if ((alone && families.size() < 2) || seen.size() > kFamiliesMax) continue;
      auto newest = read(join_path(at, names.back()));
      if (!newest) continue;
      const auto oldest = alone ? std::nullopt : read(join_path(at, names.front()));
      if (oldest && are_moments(*oldest, *newest)) fail(at, names);
      for (const auto& [other, others] : seen) {
        if (!are_moments(other, *newest)) continue;
        std::vector<std::string> all = names;
        all.insert(all.begin(), others->begin(), others->end());
        fail(at, all);
      }
      seen.emplace_back(std::move(*newest), &names);
    }
  }

  [[noreturn]] void fail(const std::string& at, const std::vector<std::string>& names) const {
    std::vector<std::string> paths;
    paths.reserve(names.size());
    for (const std::string& name : names) paths.push_back(printable(join_path(at, name)));
    std::string links;
    for (const FolderFile& file : folder_.files())
      if (folder_name(file.path) == at && is_alias(file.path))
        links += "; " + printable(file.path) + " points to " + printable(file.target);
    throw Error(ErrorCode::usage,
                "holds " + std::to_string(names.size()) +
                    " checkpoints, not one: " + some_of(paths, kListedMax) + links,
                path_, "name one of them, e.g. " + join_path(path_, join_path(at, names.back())));
  }

  const std::string path_;
  const Folder folder_;
};

}  // namespace

void refuse_several_checkpoints(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return;
  Search(path).run();
}

}  // namespace samestep
