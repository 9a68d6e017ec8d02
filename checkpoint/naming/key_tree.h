// KeyTree: the leaves of a document as a tree of their keys, one root a file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checkpoint/formats/document.h"

namespace samestep {

/// A container or a leaf of a foreign document; an opened object (pickled bytes, a class instance)
/// is both. Owned by its KeyTree; `parent` is null at the root of a file.
struct KeyNode {
  SourceKey key;  ///< of a file's root: its path within the checkpoint
  const KeyNode* parent = nullptr;
  std::size_t depth = 0;                              ///< keys above it
  std::optional<std::size_t> leaf;                    ///< index into the document's leaves
  std::vector<std::unique_ptr<KeyNode>> children;     ///< in order of appearance
  std::unordered_map<std::string, KeyNode*> by_text;  ///< the first child with that key text
  std::size_t tensors = 0, values = 0, opaques = 0;   ///< leaves at and below this node

  const std::string& text() const noexcept { return key.text; }
  bool container() const noexcept { return !children.empty(); }
  const KeyNode* child(std::string_view name) const;
  bool has(std::string_view name) const { return child(name) != nullptr; }
};

/// Built once; does not change the document, which must outlive it.
class KeyTree {
 public:
  explicit KeyTree(const Document& document);
  const std::vector<std::unique_ptr<KeyNode>>& files() const noexcept { return files_; }
  const Document& document() const noexcept { return *document_; }
  /// The leaf at `node`, or null.
  const Leaf* leaf(const KeyNode& node) const;
  /// Leaves with more keys than the tree is deep (kDepthMax): named by their keys alone.
  const std::vector<std::size_t>& too_deep() const noexcept { return too_deep_; }

  static constexpr std::size_t kDepthMax = 64;

 private:
  const Document* document_;
  std::vector<std::unique_ptr<KeyNode>> files_;
  std::vector<std::size_t> too_deep_;
};

}  // namespace samestep
