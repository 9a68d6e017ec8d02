// PickleView: a pickle's graph with what is needed to make leaves of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"
#include "checkpoint/formats/storage_source.h"
#include "checkpoint/pickle/graph.h"

namespace samestep {

/// What leaves may cost in memory. Shared by all pickles of one document: shared references and
/// short opcodes can make a small pickle describe an endless tree.
class LeafBudget {
 public:
  explicit LeafBudget(std::uint64_t pickle_bytes);
  /// Throws Error{limit} once the sum passes the budget.
  void charge(std::uint64_t bytes, const std::string& where);

 private:
  std::uint64_t left_;
};

/// References only; lives as long as one walk.
struct PickleView {
  const pickle::Graph& graph;
  const FileSlice& file;              ///< that the graph views
  StorageSource* storages = nullptr;  ///< null: the pickle stands alone
  LeafBudget& budget;
  std::vector<std::string>& notes;
  const std::vector<SourceKey>& path;  ///< of the node that is being looked at

  /// "file: key/key/key" of the node that is being looked at.
  std::string where() const;
  void charge(std::uint64_t bytes) const;
  [[noreturn]] void fail(const std::string& message) const;

  bool is_global(pickle::NodeId id, std::string_view qualified) const;
  /// Arguments of an object's call; empty for another kind of node.
  std::span<const pickle::NodeId> args(pickle::NodeId object) const;
  /// Any integer that fits 64 bits, else an Error that names `what`.
  std::int64_t integer(pickle::NodeId id, const char* what) const;
  bool boolean(pickle::NodeId id, const char* what) const;
  std::string_view text(pickle::NodeId id, const char* what) const;
  /// A tuple or list of integers (torch.Size too), at most kRankMax of them.
  std::vector<std::int64_t> integers(pickle::NodeId id, const char* what) const;
  /// Bytes of a bytes-like node, however the protocol wrote it; nothing for another node.
  std::optional<FileSlice> bytes(pickle::NodeId id) const;
};

struct Child {
  SourceKey key;
  pickle::NodeId node = pickle::kNoNode;
};

/// What a node is, in a tree of leaves.
struct Expansion {
  std::optional<Leaf> self;                       ///< a leaf at the node's own path
  std::vector<std::pair<SourceKey, Leaf>> parts;  ///< leaves one step below
  std::vector<Child> children;                    ///< nodes one step below
  pickle::NodeId same = pickle::kNoNode;          ///< the node stands for this one, ...
  std::optional<bool> requires_grad;              ///< ... whose tensor gets this
  std::string class_name;                         ///< and this
};

SourceKey attribute_key(std::string name);
SourceKey index_key(std::uint64_t index);
SourceKey text_key(std::string name);
/// Key of a dictionary entry.
SourceKey source_key(const pickle::Graph& graph, pickle::NodeId id);

Leaf value_leaf(Value value, std::string class_name = {});
Leaf opaque_leaf(std::string class_name);

}  // namespace samestep
