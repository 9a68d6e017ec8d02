#include "checkpoint/pickle/pairs.h"

#include <bit>
#include <cmath>
#include <string>
#include <unordered_map>

namespace samestep::pickle {
namespace {

constexpr int kDepthMax = 8;
constexpr std::size_t kIdentityBytesMax = 1024;

void append_number(std::string& out, char tag, std::uint64_t bits) {
  out.push_back(tag);
  out.append(reinterpret_cast<const char*>(&bits), sizeof bits);
}

bool holds_text(Kind kind) {
  return kind == Kind::text || kind == Kind::bytes || kind == Kind::big_integer ||
         kind == Kind::global;
}

/// Equal for keys that are equal in Python. What is too long or deep to compare is equal to itself
/// only.
void append_identity(std::string& out, const Graph& graph, NodeId id, int depth) {
  const Kind kind = graph.kind(id);
  const bool is_tuple = kind == Kind::tuple && depth < kDepthMax && out.size() < kIdentityBytesMax;
  if (kind == Kind::none) {
    out.push_back('n');
  } else if (kind == Kind::boolean) {
    append_number(out, 'i', graph.boolean(id) ? 1 : 0);
  } else if (kind == Kind::integer) {
    append_number(out, 'i', static_cast<std::uint64_t>(graph.integer(id)));
  } else if (kind == Kind::real) {
    const double value = graph.real(id);
    const bool whole = std::fabs(value) < 9e18 && std::nearbyint(value) == value;
    append_number(out, whole ? 'i' : 'r',
                  whole ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                        : std::bit_cast<std::uint64_t>(value));
  } else if (holds_text(kind) && graph.text(id).size() <= kIdentityBytesMax) {
    append_number(out, static_cast<char>('A' + static_cast<int>(kind)), graph.text(id).size());
    out += graph.text(id);
  } else if (is_tuple) {
    append_number(out, 't', graph.children(id).size());
    for (const NodeId member : graph.children(id)) {
      append_identity(out, graph, member, depth + 1);
      if (out.size() > kIdentityBytesMax) return append_number(out, 'o', id);
    }
  } else {
    append_number(out, 'o', id);
  }
}

}  // namespace

std::vector<Pair> unique_pairs(const Graph& graph, std::span<const NodeId> flat,
                               std::size_t* duplicates) {
  std::vector<Pair> pairs;
  std::unordered_map<std::string, std::size_t> places;
  std::unordered_map<NodeId, std::size_t> places_by_node;  // the same object again costs nothing
  std::string identity;
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2) {
    auto node = places_by_node.find(flat[i]);
    if (node == places_by_node.end()) {
      identity.clear();
      append_identity(identity, graph, flat[i], 0);
      const std::size_t place = places.emplace(identity, pairs.size()).first->second;
      node = places_by_node.emplace(flat[i], place).first;
    }
    if (node->second == pairs.size()) {
      pairs.push_back(Pair{flat[i], flat[i + 1]});
    } else {
      pairs[node->second].value = flat[i + 1];
      if (duplicates != nullptr) ++*duplicates;
    }
  }
  return pairs;
}

NodeId find_pair(const Graph& graph, std::span<const NodeId> flat, std::string_view key) {
  NodeId found = kNoNode;
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2) {
    if (graph.kind(flat[i]) == Kind::text && graph.text(flat[i]) == key) found = flat[i + 1];
  }
  return found;
}

}  // namespace samestep::pickle
