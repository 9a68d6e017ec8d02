#include "resume_check/torch/saved_state.h"

#include <algorithm>

#include "checkpoint/checkpoint.h"
#include "resume_check/digests.h"
#include "schemas/error.h"

namespace samestep::libtorch {
namespace {

bool lies_below(const std::string& path, const std::string& prefix) {
  return path == prefix || (path.starts_with(prefix) && path[prefix.size()] == '/');
}

bool is_said(const FieldPath& path, const std::vector<std::string>& also_saved) {
  return std::ranges::any_of(
      also_saved, [&](const std::string& prefix) { return lies_below(path.text(), prefix); });
}

}  // namespace

SavedState saved_state(const std::string& path, const std::vector<std::string>& also_saved,
                       const StateTree& live) {
  SavedState saved;
  try {
    saved.tree = open_checkpoint(path).tree;
    compute_digests(saved.tree);
  } catch (const Error& error) {
    saved.tree = {};
    saved.is_assumed = also_saved.empty();
    saved.notes.emplace_back(
        "checkpoint",
        error.message() + (saved.is_assumed ? ": what it holds is not known, so whether a "
                                              "field was lost by the save or by the load"
                                            : ": it holds what TwinOptions::saved says"));
  }
  for (const StateEntry& entry : live.entries())
    if ((saved.is_assumed || is_said(entry.field.path, also_saved)) &&
        !saved.tree.find(entry.field.path))
      saved.tree.add(entry);
  return saved;
}

}  // namespace samestep::libtorch
