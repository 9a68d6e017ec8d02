#include "checkpoint/formats/pickle_view.h"

#include <algorithm>

#include "checkpoint/formats/tensor_leaf.h"
#include "checkpoint/pickle/key_text.h"
#include "checkpoint/pickle/literals.h"
#include "schemas/error.h"

namespace samestep {

using pickle::Kind;
using pickle::NodeId;

namespace {

constexpr std::uint64_t kLeafBytes = 48ull << 20, kLeafBytesPerPickleByte = 64;

}  // namespace

LeafBudget::LeafBudget(std::uint64_t pickle_bytes)
    : left_(kLeafBytes +
            kLeafBytesPerPickleByte * std::min<std::uint64_t>(pickle_bytes, 1ull << 40)) {}

void LeafBudget::charge(std::uint64_t bytes, const std::string& where) {
  if (bytes > left_) {
    throw Error(ErrorCode::limit,
                "the pickle describes far more values than it holds (shared references)", where,
                "it was not written by a trainer");
  }
  left_ -= bytes;
}

std::string PickleView::where() const {
  std::string text = file.file;
  for (std::size_t i = 0; i < path.size(); ++i) text += (i == 0 ? ": " : "/") + path[i].text;
  return text;
}

void PickleView::charge(std::uint64_t bytes) const { budget.charge(bytes, file.file); }

void PickleView::fail(const std::string& message) const {
  throw Error(ErrorCode::corrupt, message, where(), "use another checkpoint");
}

bool PickleView::is_global(NodeId id, std::string_view qualified) const {
  return graph.kind(id) == Kind::global && graph.text(id) == qualified;
}

std::span<const NodeId> PickleView::args(NodeId object) const {
  if (graph.kind(object) != Kind::object) return {};
  return graph.children(graph.object(object).args);
}

std::int64_t PickleView::integer(NodeId id, const char* what) const {
  if (graph.kind(id) == Kind::boolean) return graph.boolean(id) ? 1 : 0;
  if (graph.kind(id) == Kind::big_integer) fail(std::string(what) + " does not fit 64 bits");
  if (graph.kind(id) != Kind::integer) fail(std::string(what) + " is no integer");
  return graph.integer(id);
}

bool PickleView::boolean(NodeId id, const char* what) const {
  if (graph.kind(id) == Kind::integer) return graph.integer(id) != 0;
  if (graph.kind(id) != Kind::boolean) fail(std::string(what) + " is neither true nor false");
  return graph.boolean(id);
}

std::string_view PickleView::text(NodeId id, const char* what) const {
  if (graph.kind(id) != Kind::text) fail(std::string(what) + " is no text");
  return graph.text(id);
}

std::vector<std::int64_t> PickleView::integers(NodeId id, const char* what) const {
  if (graph.kind(id) == Kind::object && is_global(graph.object(id).callee, "torch.Size") &&
      args(id).size() == 1) {
    id = args(id)[0];
  }
  if (graph.kind(id) != Kind::tuple && graph.kind(id) != Kind::list)
    fail(std::string(what) + " is no tuple");
  const auto members = graph.children(id);
  if (members.size() > kRankMax)
    fail(std::string(what) + " has " + std::to_string(members.size()) + " dimensions");
  std::vector<std::int64_t> numbers;
  for (const NodeId member : members) numbers.push_back(integer(member, what));
  return numbers;
}

std::optional<FileSlice> PickleView::bytes(NodeId id) const {
  const Kind kind = graph.kind(id);
  if (kind == Kind::bytes || kind == Kind::byte_array) {
    const auto view = graph.bytes(id);
    if (view.empty()) return FileSlice{file.file, {}, file.offset, file.owner};
    if (view.data() >= file.bytes.data() && view.data() < file.bytes.data() + file.bytes.size()) {
      const auto begin = static_cast<std::uint64_t>(view.data() - file.bytes.data());
      return FileSlice{file.file, view, file.offset + begin, file.owner};
    }
    return FileSlice{file.file, view, file.offset, graph.pool()};
  }
  if (kind != Kind::object) return std::nullopt;
  const NodeId callee = graph.object(id).callee;
  const auto given = args(id);
  if (is_global(callee, "_codecs.encode") && !given.empty() && graph.kind(given[0]) == Kind::text) {
    charge(graph.text(given[0]).size());
    auto decoded = pickle::latin1_bytes(graph.text(given[0]));
    if (!decoded) return std::nullopt;
    auto owner = std::make_shared<std::string>(std::move(*decoded));
    return FileSlice{file.file, std::as_bytes(std::span<const char>(*owner)), file.offset, owner};
  }
  const std::string_view name =
      graph.kind(callee) == Kind::global ? graph.text(callee) : std::string_view();
  const bool wrapper = name == "builtins.bytes" || name == "__builtin__.bytes" ||
                       name == "builtins.bytearray" || name == "__builtin__.bytearray";
  if (!wrapper) return std::nullopt;
  if (given.empty()) return FileSlice{file.file, {}, file.offset, file.owner};
  const Kind inner = graph.kind(given[0]);
  if (inner == Kind::text) {  // bytearray(text, "latin-1"), protocol 2
    charge(graph.text(given[0]).size());
    auto decoded = pickle::latin1_bytes(graph.text(given[0]));
    if (!decoded) return std::nullopt;
    auto owner = std::make_shared<std::string>(std::move(*decoded));
    return FileSlice{file.file, std::as_bytes(std::span<const char>(*owner)), file.offset, owner};
  }
  if (inner == Kind::bytes || inner == Kind::byte_array) return bytes(given[0]);
  if (inner == Kind::object && is_global(graph.object(given[0]).callee, "_codecs.encode"))
    return bytes(given[0]);
  return std::nullopt;
}

SourceKey attribute_key(std::string name) { return {SourceKey::Kind::attribute, std::move(name)}; }

SourceKey index_key(std::uint64_t index) {
  return {SourceKey::Kind::integer, std::to_string(index)};
}

SourceKey text_key(std::string name) { return {SourceKey::Kind::string, std::move(name)}; }

SourceKey source_key(const pickle::Graph& graph, NodeId id) {
  const Kind kind = graph.kind(id);
  if (kind == Kind::text) return text_key(std::string(graph.text(id)));
  if (kind == Kind::integer || kind == Kind::big_integer) {
    return {SourceKey::Kind::integer, pickle::decimal_of(graph, id)};
  }
  return {SourceKey::Kind::repr, pickle::key_text(graph, id)};
}

Leaf value_leaf(Value value, std::string class_name) {
  Leaf leaf;
  leaf.kind = FieldKind::value;
  leaf.bytes = value_bytes(value);
  leaf.value = std::move(value);
  leaf.class_name = std::move(class_name);
  return leaf;
}

Leaf opaque_leaf(std::string class_name) {
  Leaf leaf;
  leaf.kind = FieldKind::opaque;
  leaf.class_name = std::move(class_name);
  return leaf;
}

}  // namespace samestep
