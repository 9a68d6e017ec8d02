// PickleText: a pickle written by hand, and what it built, as text.
#pragma once

#include <string>

#include "checkpoint/pickle/key_text.h"
#include "checkpoint/pickle/machine.h"
#include "tests/checkpoint/foreign.h"

namespace samestep::foreign {

/// [1, 'a'], {'k': (1,)}, module.Class(args)[items]{pairs}!state; "..." below a depth of 6
/// (cycles).
inline std::string text_of(const pickle::Graph& graph, pickle::NodeId id, int depth = 0) {
  using pickle::Kind;
  if (depth > 6) return "...";
  const auto join = [&](std::span<const pickle::NodeId> ids, bool pairs) {
    std::string text;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      text += (i == 0 ? "" : pairs && i % 2 == 1 ? ": " : ", ") + text_of(graph, ids[i], depth + 1);
    }
    return text;
  };
  switch (graph.kind(id)) {
    case Kind::list:
      return "[" + join(graph.children(id), false) + "]";
    case Kind::tuple:
      return "(" + join(graph.children(id), false) + ")";
    case Kind::set:
      return "set{" + join(graph.children(id), false) + "}";
    case Kind::frozen_set:
      return "frozenset{" + join(graph.children(id), false) + "}";
    case Kind::dict:
      return "{" + join(graph.children(id), true) + "}";
    case Kind::persistent:
      return "persistent" + text_of(graph, graph.children(id)[0], depth + 1);
    case Kind::byte_array:
      return "bytearray " + std::string(graph.text(id));
    case Kind::object: {
      const pickle::Object& object = graph.object(id);
      std::string text =
          text_of(graph, object.callee, depth + 1) + text_of(graph, object.args, depth + 1);
      if (object.kwargs != pickle::kNoNode) text += "**" + text_of(graph, object.kwargs, depth + 1);
      if (!object.items.empty()) text += "[" + join(object.items, false) + "]";
      if (!object.pairs.empty()) text += "{" + join(object.pairs, true) + "}";
      for (const pickle::NodeId state : object.states)
        text += "!" + text_of(graph, state, depth + 1);
      return text;
    }
    default:
      return pickle::key_text(graph, id);
  }
}

inline std::string text_of_pickle(const std::string& bytes) {
  const FileSlice slice = slice_of(bytes, "p");
  const pickle::Pickle pickle = pickle::run_pickle(slice);
  return text_of(pickle.graph, pickle.root);
}

}  // namespace samestep::foreign
