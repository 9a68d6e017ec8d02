#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/containers/mapped_file.h"
#include "checkpoint/folder.h"
#include "checkpoint/formats/file_format.h"
#include "checkpoint/formats/file_reader.h"
#include "checkpoint/formats/folder_reader.h"
#include "checkpoint/formats/layouts/folder_layout.h"
#include "checkpoint/naming/name.h"
#include "checkpoint/naming/step.h"
#include "schemas/error.h"

namespace samestep {
namespace {

/// Folders below this level are not searched for something that looks like a checkpoint.
constexpr int kLookDepthMax = 2;

bool is_state(FileFormat format) {
  return format != FileFormat::unknown && format != FileFormat::empty && format != FileFormat::json;
}

Document read_folder_at(const std::string& path) {
  const Folder folder(path);
  Document document = read_folder(folder, "");
  document.notes.insert(document.notes.end(), folder.notes().begin(), folder.notes().end());
  return document;
}

bool is_folder_at(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool folder_looks_like_checkpoint(const std::string& path) {
  const Folder folder(path);
  for (const FolderLayout& layout : layouts())
    if (layout.matches(folder, "")) return true;
  return std::any_of(folder.files().begin(), folder.files().end(), [&](const FolderFile& file) {
    return std::count(file.path.begin(), file.path.end(), '/') <= kLookDepthMax &&
           is_state(file_format(folder.open(file.path).bytes));
  });
}

/// Lightning's checkpoints are files or folders of other formats, told by one key of theirs.
bool is_lightning(const Document& document) {
  return std::any_of(document.leaves.begin(), document.leaves.end(), [](const Leaf& leaf) {
    return leaf.source.keys.size() == 1 && leaf.source.keys[0].text == "pytorch-lightning_version";
  });
}

}  // namespace

Checkpoint open_checkpoint(const std::string& path) {
  Document document = is_folder_at(path) ? read_folder_at(path)
                                         : read_file(map_file(path, std::string(file_name(path))));
  Checkpoint checkpoint;
  checkpoint.path = path;
  checkpoint.format =
      is_lightning(document) ? "Lightning checkpoint (" + document.format + ")" : document.format;
  checkpoint.notes = std::move(document.notes);
  checkpoint.problems = std::move(document.problems);
  checkpoint.extents = std::move(document.extents);
  checkpoint.tree = name_document(std::move(document));
  if (auto step = checkpoint_step(checkpoint.tree)) {
    checkpoint.step = step->step;
    checkpoint.step_source = std::move(step->source);
  }
  return checkpoint;
}

bool looks_like_checkpoint(const std::string& path) noexcept {
  try {
    if (is_folder_at(path)) return folder_looks_like_checkpoint(path);
    return is_state(file_format(map_file(path, path).bytes));
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace samestep
