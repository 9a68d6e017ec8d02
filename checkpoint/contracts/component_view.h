// ComponentView: the fields of one component of a tree, by the parts of their path.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep {

struct ComponentField {
  std::vector<std::string>
      parts;  ///< after the component; the "#2" of another rank's or file's copy is dropped
  const Field* field = nullptr;
  std::optional<int> rank;
};

struct ComponentView {
  std::string name;  ///< "optimizer.1"
  std::string kind;  ///< "optimizer"
  std::vector<ComponentField> fields;

  /// The first field with these parts, or null.
  const Field* find(const std::vector<std::string>& parts) const;
  bool has_key(std::string_view first_part) const;
};

/// In order of appearance. Views point into `tree`.
std::vector<ComponentView> component_views(const StateTree& tree);

/// All fields at `path` (one part may be "*") in `views`, of every rank.
std::vector<const Field*> fields_at(const std::vector<ComponentView>& views, std::string_view path);

}  // namespace samestep
