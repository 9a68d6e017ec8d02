// Graph: the values that a pickle describes, with sharing and cycles as they are in the pickle.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace samestep::pickle {

/// A node is a number; equal numbers are the same Python object.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFFu;

enum class Kind : std::uint8_t {
  none,
  boolean,
  integer,
  big_integer,  ///< minimal little-endian two's complement bytes, more than 8
  real,
  text,  ///< UTF-8 with lone surrogates allowed (WTF-8)
  bytes,
  byte_array,
  list,
  tuple,
  set,
  frozen_set,
  dict,
  global,      ///< a class or function, by name only
  object,      ///< something a pickle would have built by calling `callee`: never called here
  persistent,  ///< a reference to something outside the pickle
};

/// What a REDUCE, NEWOBJ, NEWOBJ_EX, INST or OBJ would have called, and what was then put into the
/// result.
struct Object {
  NodeId callee = kNoNode;
  NodeId args = kNoNode;       ///< always a tuple
  NodeId kwargs = kNoNode;     ///< a dict, of NEWOBJ_EX only
  std::vector<NodeId> states;  ///< of BUILD, in order
  std::vector<NodeId> items;   ///< appended or added
  std::vector<NodeId> pairs;   ///< set: key, value, key, value, ...
};

/// Nodes in an arena: cycles cost nothing and destruction never recurses. Text and bytes are views
/// into the pickle, whose owner must outlive the graph, or into the graph's own pool. Built by
/// Machine, then immutable.
class Graph {
 public:
  Kind kind(NodeId id) const { return nodes_[id].kind; }
  std::size_t size() const noexcept { return nodes_.size(); }
  bool boolean(NodeId id) const { return nodes_[id].number != 0; }
  std::int64_t integer(NodeId id) const { return nodes_[id].number; }
  double real(NodeId id) const;
  /// Of text, bytes, byte_array and big_integer; the qualified name of a global ("module.name").
  std::string_view text(NodeId id) const { return {nodes_[id].data, nodes_[id].length}; }
  std::span<const std::byte> bytes(NodeId id) const;
  /// Of list, tuple and sets: members. Of dict: key, value, key, value, ...; of persistent: the one
  /// id.
  std::span<const NodeId> children(NodeId id) const;
  const Object& object(NodeId id) const { return objects_[nodes_[id].slot]; }
  /// Keeps alive bytes that are not in the file (decoded ones).
  const std::shared_ptr<std::deque<std::string>>& pool() const noexcept { return pool_; }

  NodeId add_none();
  NodeId add_boolean(bool value);
  NodeId add_integer(std::int64_t value);
  NodeId add_real(double value);
  /// text, bytes, byte_array, big_integer or global: a view that outlives the graph ...
  NodeId add_view(Kind kind, std::string_view view);
  /// ... or a copy that the graph keeps.
  NodeId add_copy(Kind kind, std::string text);
  NodeId add_tuple(Kind kind, std::span<const NodeId> members);  ///< tuple, frozen_set, persistent
  NodeId add_container(Kind kind);                               ///< list, set, dict: empty
  NodeId add_object(Object object);
  std::vector<NodeId>& members(NodeId id) { return containers_[nodes_[id].slot]; }
  Object& object(NodeId id) { return objects_[nodes_[id].slot]; }

 private:
  struct Node {
    Kind kind = Kind::none;
    std::uint32_t slot = 0;
    union {
      std::int64_t number = 0;
      const char* data;
    };
    std::uint64_t length = 0;
  };
  NodeId add(Node node);

  std::vector<Node> nodes_;
  std::vector<NodeId> tuples_;  // members of all tuples, one behind the other
  std::vector<std::vector<NodeId>> containers_;
  std::vector<Object> objects_;
  std::shared_ptr<std::deque<std::string>> pool_ = std::make_shared<std::deque<std::string>>();
};

}  // namespace samestep::pickle
