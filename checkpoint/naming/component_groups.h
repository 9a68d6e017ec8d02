// ComponentGroups: components while they are gathered; shards, ranks and files of one become one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checkpoint/naming/claims.h"

namespace samestep {

/// A component, and where its parts were found.
struct ComponentGroup {
  ClaimedComponent component;
  std::string name;
  std::vector<const KeyNode*> roots;
};

/// Numbers components of a kind by the order in which they are asked for. References stay valid.
class ComponentGroups {
 public:
  /// The group for what lies below `root` and is called `name`: an old one where there can be one
  /// only (rng, loop, gradients, extra), where this is another rank's part of it, or another
  /// file's part that shares no key with it; else a new one.
  ComponentGroup& find_or_make(ComponentKind kind, const std::string& name, const KeyNode& root);
  std::vector<ClaimedComponent> take();

 private:
  std::vector<std::unique_ptr<ComponentGroup>> groups_;
};

/// The root of the file that `node` lies in.
const KeyNode& file_of(const KeyNode& node);
/// Key texts from below `root` down to `node`.
std::vector<std::string> keys_below(const KeyNode& root, const KeyNode& node);
/// What parts of one component have in common: the key's text; of a file, its stem, without the
/// numbers of shards ("model-00001-of-00002") and ranks.
std::string shared_name(const KeyNode& node);

}  // namespace samestep
