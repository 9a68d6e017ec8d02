#include "checkpoint/naming/key_tree.h"

namespace samestep {
namespace {

// Keys of different kinds may have the same text (1 and "1"): children are told apart by both.
std::string identity(const SourceKey& key) {
  return std::string(1, static_cast<char>('0' + static_cast<int>(key.kind))) + key.text;
}

void count(KeyNode& node, FieldKind kind) {
  switch (kind) {
    case FieldKind::tensor:
      ++node.tensors;
      break;
    case FieldKind::value:
      ++node.values;
      break;
    case FieldKind::opaque:
      ++node.opaques;
      break;
  }
}

}  // namespace

const KeyNode* KeyNode::child(std::string_view name) const {
  const auto found = by_text.find(std::string(name));
  return found == by_text.end() ? nullptr : found->second;
}

KeyTree::KeyTree(const Document& document) : document_(&document) {
  std::unordered_map<std::string, KeyNode*> roots;
  std::unordered_map<const KeyNode*, std::unordered_map<std::string, KeyNode*>> exact;
  for (std::size_t i = 0; i < document.leaves.size(); ++i) {
    const Leaf& leaf = document.leaves[i];
    if (leaf.source.keys.size() > kDepthMax) {
      too_deep_.push_back(i);
      continue;
    }
    KeyNode*& root = roots[leaf.source.file];
    if (root == nullptr) {
      files_.push_back(std::make_unique<KeyNode>());
      root = files_.back().get();
      root->key.text = leaf.source.file;
    }
    KeyNode* node = root;
    count(*node, leaf.kind);
    for (const SourceKey& key : leaf.source.keys) {
      KeyNode*& next = exact[node][identity(key)];
      if (next == nullptr) {
        node->children.push_back(std::make_unique<KeyNode>());
        next = node->children.back().get();
        next->key = key;
        next->parent = node;
        next->depth = node->depth + 1;
        node->by_text.emplace(key.text, next);
      }
      node = next;
      count(*node, leaf.kind);
    }
    if (node->leaf) {  // the same keys twice: a sibling of its own, so that no leaf is lost
      KeyNode* const parent = node;
      parent->children.push_back(std::make_unique<KeyNode>());
      KeyNode* const twin = parent->children.back().get();
      twin->parent = parent;
      twin->depth = parent->depth + 1;
      twin->key.text = "again";
      count(*twin, leaf.kind);
      node = twin;
    }
    node->leaf = i;
  }
}

const Leaf* KeyTree::leaf(const KeyNode& node) const {
  return node.leaf ? &document_->leaves[*node.leaf] : nullptr;
}

}  // namespace samestep
