#include "checkpoint/pickle/graph.h"

#include <bit>
#include <utility>

#include "schemas/check.h"

namespace samestep::pickle {

double Graph::real(NodeId id) const { return std::bit_cast<double>(nodes_[id].number); }

std::span<const std::byte> Graph::bytes(NodeId id) const {
  return {reinterpret_cast<const std::byte*>(nodes_[id].data), nodes_[id].length};
}

std::span<const NodeId> Graph::children(NodeId id) const {
  const Node& node = nodes_[id];
  switch (node.kind) {
    case Kind::tuple:
    case Kind::frozen_set:
    case Kind::persistent:
      return std::span<const NodeId>(tuples_).subspan(static_cast<std::size_t>(node.number),
                                                      node.length);
    case Kind::list:
    case Kind::set:
    case Kind::dict:
      return containers_[node.slot];
    default:
      return {};
  }
}

NodeId Graph::add(Node node) {
  SAMESTEP_CHECK(nodes_.size() < kNoNode);
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId Graph::add_none() { return add(Node{}); }

NodeId Graph::add_boolean(bool value) {
  Node node{Kind::boolean, 0, {0}, 0};
  node.number = value ? 1 : 0;
  return add(node);
}

NodeId Graph::add_integer(std::int64_t value) {
  Node node{Kind::integer, 0, {0}, 0};
  node.number = value;
  return add(node);
}

NodeId Graph::add_real(double value) {
  Node node{Kind::real, 0, {0}, 0};
  node.number = std::bit_cast<std::int64_t>(value);
  return add(node);
}

NodeId Graph::add_view(Kind kind, std::string_view view) {
  Node node{kind, 0, {0}, 0};
  node.data = view.data();
  node.length = view.size();
  return add(node);
}

NodeId Graph::add_copy(Kind kind, std::string text) {
  return add_view(kind, pool_->emplace_back(std::move(text)));
}

NodeId Graph::add_tuple(Kind kind, std::span<const NodeId> members) {
  Node node{kind, 0, {0}, members.size()};
  node.number = static_cast<std::int64_t>(tuples_.size());
  tuples_.insert(tuples_.end(), members.begin(), members.end());
  return add(node);
}

NodeId Graph::add_container(Kind kind) {
  Node node{kind, static_cast<std::uint32_t>(containers_.size()), {0}, 0};
  containers_.emplace_back();
  return add(node);
}

NodeId Graph::add_object(Object object) {
  Node node{Kind::object, static_cast<std::uint32_t>(objects_.size()), {0}, 0};
  objects_.push_back(std::move(object));
  return add(node);
}

}  // namespace samestep::pickle
