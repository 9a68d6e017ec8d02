#include "checkpoint/formats/expand_python.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "checkpoint/pickle/key_text.h"
#include "checkpoint/pickle/pairs.h"

namespace samestep {

using pickle::Kind;
using pickle::NodeId;

namespace {

constexpr std::size_t kPackedMin = 65;
constexpr std::uint64_t kChildBytes = 96;

Bytes copy_of(std::span<const std::byte> bytes) { return Bytes(bytes.begin(), bytes.end()); }

void add_members(const PickleView& view, std::span<const NodeId> members, Expansion& out) {
  view.charge(members.size() * kChildBytes);
  for (const NodeId member : members)
    out.children.push_back({index_key(out.children.size()), member});
}

/// More than 64 numbers of one kind, in one field.
bool expand_packed(const PickleView& view, std::span<const NodeId> members, Expansion& out) {
  if (members.size() < kPackedMin) return false;
  const Kind kind = view.graph.kind(members[0]);
  if (kind != Kind::integer && kind != Kind::real) return false;
  const bool uniform = std::all_of(members.begin(), members.end(),
                                   [&](NodeId id) { return view.graph.kind(id) == kind; });
  if (!uniform) return false;
  view.charge(members.size() * 2 * sizeof(double));
  if (kind == Kind::integer) {
    std::vector<std::int64_t> values;
    values.reserve(members.size());
    for (const NodeId id : members) values.push_back(view.graph.integer(id));
    out.self = value_leaf(Numbers{std::move(values)});
  } else {
    std::vector<double> values;
    values.reserve(members.size());
    for (const NodeId id : members) values.push_back(view.graph.real(id));
    out.self = value_leaf(Numbers{std::move(values)});
  }
  return true;
}

/// Writing an integer in decimal takes quadratic time.
std::uint64_t decimal_cost(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesSquaredPerCharge = 64;
  return 2 * bytes + std::min(bytes * bytes / kBytesSquaredPerCharge, std::uint64_t{1} << 18);
}

bool expand_plain(const PickleView& view, NodeId id, Expansion& out) {
  const pickle::Graph& graph = view.graph;
  switch (graph.kind(id)) {
    case Kind::none:
      out.self = value_leaf(None{});
      return true;
    case Kind::boolean:
      out.self = value_leaf(graph.boolean(id));
      return true;
    case Kind::integer:
      out.self = value_leaf(graph.integer(id));
      return true;
    case Kind::big_integer:
      view.charge(decimal_cost(graph.text(id).size()));
      out.self = value_leaf(BigInt{copy_of(graph.bytes(id))});
      return true;
    case Kind::real:
      out.self = value_leaf(graph.real(id));
      return true;
    case Kind::text:
      view.charge(2 * graph.text(id).size());
      out.self = value_leaf(std::string(graph.text(id)));
      return true;
    case Kind::bytes:
    case Kind::byte_array:
      view.charge(2 * graph.text(id).size());
      out.self = value_leaf(copy_of(graph.bytes(id)));
      return true;
    case Kind::list:
    case Kind::tuple:
      if (expand_packed(view, graph.children(id), out)) return true;
      add_members(view, graph.children(id), out);
      return true;
    case Kind::set:
    case Kind::frozen_set:
      add_members(view, graph.children(id), out);
      return true;
    case Kind::dict:
      add_pairs(view, graph.children(id), out);
      return true;
    default:
      return false;
  }
}

/// The class without "builtins." or Python 2's "__builtin__.".
std::string_view bare_builtin(std::string_view name) {
  for (const std::string_view prefix : {"builtins.", "__builtin__."}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

/// Attributes of a dictionary with a class of its own; torch's `_metadata` holds only module
/// versions.
void add_dict_state(const PickleView& view, const pickle::Object& object, Expansion& out) {
  for (const NodeId state : object.states) {
    if (view.graph.kind(state) != Kind::dict) continue;
    view.charge(view.graph.children(state).size() * kChildBytes);
    for (const pickle::Pair& pair : pickle::unique_pairs(view.graph, view.graph.children(state))) {
      if (view.graph.kind(pair.key) != Kind::text || view.graph.text(pair.key) == "_metadata")
        continue;
      out.children.push_back({attribute_key(std::string(view.graph.text(pair.key))), pair.value});
    }
  }
}

bool expand_mapping(const PickleView& view, std::string_view name, const pickle::Object& object,
                    std::span<const NodeId> args, Expansion& out) {
  const bool is_mapping = name == "collections.OrderedDict" || name == "collections.defaultdict" ||
                          name == "collections.Counter" || bare_builtin(name) == "dict";
  if (!is_mapping) return false;
  std::vector<NodeId> flat;
  const NodeId given = args.empty() ? pickle::kNoNode : args.back();
  if (given != pickle::kNoNode && view.graph.kind(given) == Kind::dict) {
    const auto pairs = view.graph.children(given);
    view.charge(pairs.size() * sizeof(NodeId));
    flat.assign(pairs.begin(), pairs.end());
  } else if (given != pickle::kNoNode &&
             view.graph.kind(given) == Kind::list) {  // Python 2: a list of pairs
    view.charge(view.graph.children(given).size() * kChildBytes);
    for (const NodeId pair : view.graph.children(given)) {
      const auto members = view.graph.children(pair);
      if (members.size() != 2) view.fail("an entry of " + std::string(name) + " is no pair");
      flat.insert(flat.end(), members.begin(), members.end());
    }
  }
  view.charge(object.pairs.size() * sizeof(NodeId));
  flat.insert(flat.end(), object.pairs.begin(), object.pairs.end());
  if (name == "collections.defaultdict" && !args.empty() &&
      view.graph.kind(args[0]) == Kind::global && bare_builtin(view.graph.text(args[0])).empty()) {
    out.children.push_back({attribute_key("default_factory"), args[0]});
  }
  add_pairs(view, flat, out);
  add_dict_state(view, object, out);
  return true;
}

bool expand_sequence(const PickleView& view, std::string_view name, const pickle::Object& object,
                     std::span<const NodeId> args, Expansion& out) {
  const std::string_view builtin = bare_builtin(name);
  const bool is_sequence = name == "collections.deque" || builtin == "set" ||
                           builtin == "frozenset" || builtin == "list" || builtin == "tuple";
  if (!is_sequence) return false;
  std::vector<NodeId> members;
  if (!args.empty()) {
    const auto given = view.graph.children(args[0]);
    view.charge((given.size() + object.items.size()) * sizeof(NodeId));
    if (view.graph.kind(args[0]) != Kind::dict) members.assign(given.begin(), given.end());
  }
  members.insert(members.end(), object.items.begin(), object.items.end());
  if (!expand_packed(view, members, out)) add_members(view, members, out);
  return true;
}

double real_of(const PickleView& view, NodeId id) {
  if (view.graph.kind(id) == Kind::real) return view.graph.real(id);
  return static_cast<double>(view.integer(id, "a part of a complex number"));
}

bool expand_value_object(const PickleView& view, NodeId id, std::string_view name,
                         std::span<const NodeId> args, Expansion& out) {
  if (const auto bytes = view.bytes(id)) {
    view.charge(2 * bytes->bytes.size());
    out.self = value_leaf(copy_of(bytes->bytes));
    return true;
  }
  if (bare_builtin(name) == "complex" && args.size() == 2) {
    out.self = value_leaf(
        Numbers{std::vector<double>{real_of(view, args[0]), real_of(view, args[1])}}, "complex");
    return true;
  }
  if ((bare_builtin(name) == "int" || bare_builtin(name) == "float") && args.size() == 1) {
    out.same = args[0];
    return true;
  }
  return false;
}

/// random.Random: its state is (version, numbers, the second normal of a pair).
bool expand_random(const PickleView& view, std::string_view name, const pickle::Object& object,
                   Expansion& out) {
  if (name != "random.Random" || object.states.empty()) return false;
  const auto parts = view.graph.children(object.states.back());
  if (parts.size() != 3) return false;
  out.self = opaque_leaf(std::string(name));
  out.children = {{attribute_key("version"), parts[0]},
                  {attribute_key("state"), parts[1]},
                  {attribute_key("gauss_next"), parts[2]}};
  return true;
}

void add_attributes(const PickleView& view, NodeId state, Expansion& out) {
  view.charge(view.graph.children(state).size() * kChildBytes);
  for (const pickle::Pair& pair : pickle::unique_pairs(view.graph, view.graph.children(state))) {
    SourceKey key = source_key(view.graph, pair.key);
    view.charge(key.text.size());
    if (key.kind == SourceKey::Kind::string) key.kind = SourceKey::Kind::attribute;
    out.children.push_back({std::move(key), pair.value});
  }
}

/// A state is a dict of attributes, or (dict or None, dict of slots); anything else is shown as it
/// is.
void add_state(const PickleView& view, NodeId state, Expansion& out) {
  const Kind kind = view.graph.kind(state);
  if (kind == Kind::none) return;
  if (kind == Kind::dict) return add_attributes(view, state, out);
  const auto members = view.graph.children(state);
  const bool slots =
      kind == Kind::tuple && members.size() == 2 && view.graph.kind(members[1]) == Kind::dict &&
      (view.graph.kind(members[0]) == Kind::dict || view.graph.kind(members[0]) == Kind::none);
  if (slots) {
    for (const NodeId part : members) add_attributes(view, part, out);
    return;
  }
  view.charge(kChildBytes);
  out.children.push_back({attribute_key("__state__"), state});
}

/// torch.optim.Optimizer leaves this name out of its pickle and puts it back when it is loaded.
void add_profile_name(Expansion& out) {
  constexpr const char* kName = "_zero_grad_profile_name";
  const std::string& name = out.self->class_name;
  if (!name.starts_with("torch.optim.")) return;
  const bool has_groups = std::any_of(out.children.begin(), out.children.end(), [](const Child& c) {
    return c.key == attribute_key("param_groups");
  });
  const bool has_name = std::any_of(out.children.begin(), out.children.end(),
                                    [](const Child& c) { return c.key == attribute_key(kName); });
  if (!has_groups || has_name) return;
  const std::string text = "Optimizer.zero_grad#" + name.substr(name.rfind('.') + 1) + ".zero_grad";
  out.parts.emplace_back(attribute_key(kName), value_leaf(text));
}

}  // namespace

void add_pairs(const PickleView& view, std::span<const NodeId> flat, Expansion& out) {
  std::size_t duplicates = 0;
  std::unordered_map<std::string, std::size_t>
      looks_alike;  // objects as keys have no text of theirs
  view.charge(flat.size() * kChildBytes);
  for (const pickle::Pair& pair : pickle::unique_pairs(view.graph, flat, &duplicates)) {
    SourceKey key = source_key(view.graph, pair.key);
    view.charge(key.text.size());
    if (key.kind == SourceKey::Kind::repr && key.text.starts_with('<')) {
      const std::size_t number = ++looks_alike[key.text];
      if (number > 1) key.text += "#" + std::to_string(number);
    }
    out.children.push_back({std::move(key), pair.value});
  }
  if (duplicates != 0) {
    view.notes.push_back(view.where() + ": " + std::to_string(duplicates) +
                         " keys occur twice; the last value counts");
  }
}

bool expand_python(const PickleView& view, NodeId id, Expansion& out) {
  if (expand_plain(view, id, out)) return true;
  if (view.graph.kind(id) != Kind::object) return false;
  const pickle::Object& object = view.graph.object(id);
  if (view.graph.kind(object.callee) != Kind::global) return false;
  const std::string_view name = view.graph.text(object.callee);
  const auto args = view.args(id);
  return expand_mapping(view, name, object, args, out) ||
         expand_sequence(view, name, object, args, out) ||
         expand_value_object(view, id, name, args, out) || expand_random(view, name, object, out);
}

void expand_opaque(const PickleView& view, NodeId id, Expansion& out) {
  out.self = opaque_leaf(pickle::class_name_of(view.graph, id));
  if (view.graph.kind(id) == Kind::persistent)
    return add_members(view, view.graph.children(id), out);
  if (view.graph.kind(id) != Kind::object) return;
  const pickle::Object& object = view.graph.object(id);
  auto args = view.args(id);
  if (view.is_global(object.callee, "copyreg._reconstructor") ||
      view.is_global(object.callee, "copy_reg._reconstructor")) {
    if (args.empty()) return;
    out.self->class_name = pickle::class_name_of(view.graph, args[0]);
    const NodeId base = args.size() == 3 ? args[2] : pickle::kNoNode;
    const Kind kind = base == pickle::kNoNode ? Kind::none : view.graph.kind(base);
    args = kind == Kind::none ? std::span<const NodeId>() : args.last(1);
    if (kind == Kind::dict) {
      add_pairs(view, view.graph.children(base), out);
      args = {};
    } else if (kind == Kind::list || kind == Kind::tuple || kind == Kind::set) {
      args = view.graph.children(base);
    }
  }
  if (view.graph.kind(object.callee) == Kind::object) {
    view.charge(kChildBytes);
    out.children.push_back({attribute_key("__call__"), object.callee});
  }
  std::vector<NodeId> members(args.begin(), args.end());
  members.insert(members.end(), object.items.begin(), object.items.end());
  for (std::size_t i = 0; i < members.size(); ++i)
    out.children.push_back({index_key(i), members[i]});
  view.charge(members.size() * kChildBytes);
  if (object.kwargs != pickle::kNoNode) add_attributes(view, object.kwargs, out);
  add_pairs(view, object.pairs, out);
  for (const NodeId state : object.states) add_state(view, state, out);
  add_profile_name(out);
}

}  // namespace samestep
