#include "checkpoint/formats/pickle_leaves.h"

#include <utility>

#include "checkpoint/formats/expand_numpy.h"
#include "checkpoint/formats/expand_python.h"
#include "checkpoint/formats/expand_torch.h"
#include "schemas/error.h"

namespace samestep {

using pickle::NodeId;

namespace {

constexpr std::uint64_t kLeafCost = 320, kKeyCost = 56;
constexpr int kWrapsMax = 32;
constexpr int kNestedPicklesMax = 4;

class Walk {
 public:
  Walk(const pickle::Pickle& pickle, const FileSlice& file, StorageSource* storages,
       std::vector<SourceKey> prefix, LeafBudget& budget, int nesting, Document& document)
      : path_(std::move(prefix)),
        root_(pickle.root),
        view_{pickle.graph, file, storages, budget, document.notes, path_},
        on_path_(pickle.graph.size(), false),
        nesting_(nesting),
        document_(document) {}

  void run();

 private:
  struct Frame {
    std::vector<Child> children;
    std::size_t next = 0;
    std::vector<NodeId> opened;  // nodes that are on the path as long as this frame is
  };

  Frame open(NodeId id);
  Expansion expand(NodeId id, std::vector<NodeId>& opened);
  void add_leaf(Leaf leaf);
  void open_bytes(const Leaf& leaf, NodeId id);

  std::vector<SourceKey> path_;
  NodeId root_;
  PickleView view_;
  std::vector<bool> on_path_;
  int nesting_;
  Document& document_;
};

void Walk::run() {
  const std::size_t base = path_.size();
  std::vector<Frame> frames;
  frames.push_back(open(root_));
  while (!frames.empty()) {
    Frame& frame = frames.back();
    path_.resize(base + frames.size() - 1);
    if (frame.next == frame.children.size()) {
      for (const NodeId id : frame.opened) on_path_[id] = false;
      frames.pop_back();
      continue;
    }
    Child& child = frame.children[frame.next++];
    path_.push_back(std::move(child.key));
    if (frames.size() > kLeafDepthMax) {
      throw Error(ErrorCode::limit,
                  "values are nested more than " + std::to_string(kLeafDepthMax) + " deep",
                  view_.file.file, "it was not written by a trainer");
    }
    frames.push_back(open(child.node));
  }
  path_.resize(base);
}

/// Emits the leaves of a node and returns what lies below it. The path stands at the node.
Walk::Frame Walk::open(NodeId id) {
  Frame frame;
  Expansion expansion = expand(id, frame.opened);
  if (expansion.self) {
    add_leaf(*expansion.self);
    open_bytes(*expansion.self, id);
  }
  for (auto& [key, leaf] : expansion.parts) {
    path_.push_back(std::move(key));
    add_leaf(std::move(leaf));
    path_.pop_back();
  }
  frame.children = std::move(expansion.children);
  return frame;
}

Expansion Walk::expand(NodeId id, std::vector<NodeId>& opened) {
  Expansion expansion;
  for (int wraps = 0; wraps < kWrapsMax; ++wraps) {
    if (on_path_[id]) break;
    on_path_[id] = true;
    opened.push_back(id);
    const bool known = expand_torch(view_, id, expansion) || expand_numpy(view_, id, expansion) ||
                       expand_python(view_, id, expansion);
    if (!known) expand_opaque(view_, id, expansion);
    if (expansion.same == pickle::kNoNode) {
      if (expansion.self && expansion.self->kind == FieldKind::tensor) {
        if (expansion.requires_grad) expansion.self->layout.requires_grad = expansion.requires_grad;
        if (!expansion.class_name.empty()) expansion.self->class_name = expansion.class_name;
      }
      return expansion;
    }
    id = std::exchange(expansion.same, pickle::kNoNode);
  }
  expansion.self = opaque_leaf("back reference");
  return expansion;
}

void Walk::add_leaf(Leaf leaf) {
  std::uint64_t cost = kLeafCost + kKeyCost * path_.size();
  for (const SourceKey& key : path_) cost += key.text.size();
  view_.charge(cost);
  leaf.source = Source{view_.file.file, path_};
  document_.leaves.push_back(std::move(leaf));
}

/// Loaders keep their state as a pickle inside a bytes value.
void Walk::open_bytes(const Leaf& leaf, NodeId id) {
  if (!std::holds_alternative<Bytes>(leaf.value) || nesting_ >= kNestedPicklesMax) return;
  const auto bytes = view_.bytes(id);
  if (!bytes || !pickle::looks_like_pickle(bytes->bytes)) return;
  const std::size_t leaves = document_.leaves.size();
  try {
    const pickle::Pickle inner = pickle::run_pickle(*bytes);
    const pickle::Kind kind = inner.graph.kind(inner.root);
    const bool holds_more = kind == pickle::Kind::dict || kind == pickle::Kind::list ||
                            kind == pickle::Kind::tuple || kind == pickle::Kind::object;
    if (inner.end != bytes->bytes.size() || !holds_more) return;
    Walk(inner, *bytes, nullptr, path_, view_.budget, nesting_ + 1, document_).run();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::limit) throw;
    document_.leaves.resize(leaves);
    document_.notes.push_back(view_.where() + ": looks like a pickle but is none (" +
                              error.message() + ")");
  }
}

}  // namespace

void append_pickle_leaves(const pickle::Pickle& pickle, const FileSlice& file,
                          StorageSource* storages, const std::vector<SourceKey>& prefix,
                          Document& document) {
  LeafBudget budget(file.bytes.size());
  Walk(pickle, file, storages, prefix, budget, 0, document).run();
}

Document read_bare_pickle(const FileSlice& file) {
  Document document;
  document.format = "pickle";
  const pickle::Pickle pickle = pickle::run_pickle(file);
  append_pickle_leaves(pickle, file, nullptr, {}, document);
  if (pickle.end != file.bytes.size()) {
    const pickle::Kind kind = pickle.graph.kind(pickle.root);
    if (kind < pickle::Kind::list) {
      throw Error(
          ErrorCode::corrupt, "a pickle of one value and then something else: no checkpoint",
          file.file + ", byte " + std::to_string(file.offset + pickle.end), "name a checkpoint");
    }
    document.notes.push_back(std::to_string(file.bytes.size() - pickle.end) +
                             " bytes follow the pickle");
  }
  document.extents.push_back(Extent{file.file, file.offset, pickle.end, std::nullopt, "pickle"});
  return document;
}

}  // namespace samestep
