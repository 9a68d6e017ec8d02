#include "checkpoint/pickle/key_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "checkpoint/pickle/literals.h"
#include "schemas/value.h"

namespace samestep::pickle {
namespace {

constexpr std::size_t kTextMax = 200, kIntegerBytesMax = 64;
constexpr int kDepthMax = 8;

void append_quoted(std::string& out, std::string_view text, bool is_bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const char quote =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"'
                                                                                            : '\'';
  if (is_bytes) out.push_back('b');
  out.push_back(quote);
  for (const char c : text.substr(0, kTextMax)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += {'\\', c == '\n' ? 'n' : c == '\r' ? 'r' : 't'};
    } else if (byte < 0x20 || byte == 0x7F || (is_bytes && byte >= 0x80)) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out.push_back(c);
    }
  }
  if (text.size() > kTextMax) out += "...";
  out.push_back(quote);
}

void append(std::string& out, const Graph& graph, NodeId id, int depth);

bool append_object(std::string& out, const Graph& graph, NodeId id, int depth);

void append_members(std::string& out, const Graph& graph, NodeId id, int depth) {
  const auto members = graph.children(id);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i != 0) out += ", ";
    if (out.size() > kTextMax || depth >= kDepthMax) {
      out += "...";
      return;
    }
    append(out, graph, members[i], depth + 1);
  }
}

void append(std::string& out, const Graph& graph, NodeId id, int depth) {
  switch (graph.kind(id)) {
    case Kind::none:
      out += "None";
      return;
    case Kind::boolean:
      out += graph.boolean(id) ? "True" : "False";
      return;
    case Kind::integer:
    case Kind::big_integer:
      out += decimal_of(graph, id);
      return;
    case Kind::real:
      out += repr_of(graph.real(id));
      return;
    case Kind::text:
      append_quoted(out, graph.text(id), false);
      return;
    case Kind::bytes:
      append_quoted(out, graph.text(id), true);
      return;
    case Kind::tuple:
      out.push_back('(');
      append_members(out, graph, id, depth);
      out += graph.children(id).size() == 1 ? ",)" : ")";
      return;
    case Kind::frozen_set:
      out += "frozenset({";
      append_members(out, graph, id, depth);
      out += "})";
      return;
    case Kind::object:
      if (append_object(out, graph, id, depth)) return;
      [[fallthrough]];
    default:
      out += "<" + class_name_of(graph, id) + ">";
      return;
  }
}

/// Bytes and frozensets as protocols 2 and 3 write them: calls.
bool append_object(std::string& out, const Graph& graph, NodeId id, int depth) {
  const Object& object = graph.object(id);
  const auto args = graph.children(object.args);
  if (graph.kind(object.callee) != Kind::global || args.empty() || depth >= kDepthMax) return false;
  const std::string_view name = graph.text(object.callee);
  if (name == "_codecs.encode" && graph.kind(args[0]) == Kind::text) {
    const auto bytes = latin1_bytes(graph.text(args[0]).substr(0, 2 * kTextMax));
    if (bytes) append_quoted(out, *bytes, true);
    return bytes.has_value();
  }
  const bool frozen = name == "builtins.frozenset" || name == "__builtin__.frozenset";
  if (!frozen || graph.kind(args[0]) != Kind::list) return false;
  out += "frozenset({";
  append_members(out, graph, args[0], depth);
  out += "})";
  return true;
}

}  // namespace

std::string key_text(const Graph& graph, NodeId id) {
  std::string text;
  append(text, graph, id, 0);
  return text;
}

std::string repr_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer;
  const double magnitude = std::fabs(value);
  const bool scientific = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  std::string text(buffer.data(), end);
  if (!scientific && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string class_name_of(const Graph& graph, NodeId id) {
  for (int hops = 0; hops < kDepthMax; ++hops) {
    const Kind kind = graph.kind(id);
    if (kind == Kind::global) return std::string(graph.text(id));
    if (kind == Kind::object) {
      id = graph.object(id).callee;
      continue;
    }
    // torch's non-zip files name a module's class by a persistent id ("module", class, ...).
    const auto reference = kind == Kind::persistent ? graph.children(graph.children(id)[0])
                                                    : std::span<const NodeId>();
    if (reference.size() < 2 || graph.kind(reference[0]) != Kind::text ||
        graph.text(reference[0]) != "module")
      break;
    id = reference[1];
  }
  constexpr std::array<const char*, 16> kNames = {
      "None", "bool",  "int", "int",       "float", "str",    "bytes",  "bytearray",
      "list", "tuple", "set", "frozenset", "dict",  "global", "object", "persistent id"};
  return kNames[static_cast<std::size_t>(graph.kind(id))];
}

std::string decimal_of(const Graph& graph, NodeId id) {
  if (graph.kind(id) == Kind::integer) return std::to_string(graph.integer(id));
  const auto bytes = graph.bytes(id);
  if (bytes.size() > kIntegerBytesMax) return "<int of " + std::to_string(bytes.size()) + " bytes>";
  return decimal(Value(BigInt{{bytes.begin(), bytes.end()}}));
}

}  // namespace samestep::pickle
