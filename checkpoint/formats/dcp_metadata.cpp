#include "checkpoint/formats/dcp_metadata.h"

#include <algorithm>
#include <map>
#include <utility>

#include "checkpoint/formats/tensor_leaf.h"
#include "checkpoint/pickle/machine.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using pickle::Graph;
using pickle::Kind;
using pickle::kNoNode;
using pickle::NodeId;

class Reader {
 public:
  explicit Reader(const FileSlice& file)
      : file_(file), pickle_(pickle::run_pickle(file)), graph_(pickle_.graph) {}

  DcpMetadata read() {
    if (class_of(pickle_.root) != "torch.distributed.checkpoint.metadata.Metadata")
      fail("is a pickle, but not of torch.distributed.checkpoint Metadata");
    nesting();
    items();
    records();
    if (const NodeId meta = attribute(pickle_.root, "storage_meta");
        meta != kNoNode && is_object(meta))
      result_.checkpoint_id = path_text(attribute(meta, "checkpoint_id"));
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::corrupt) const {
    throw Error(code, message, file_.file,
                "the index was cut or altered: save the checkpoint again");
  }
  [[noreturn]] void fail_at(const std::string& key, const std::string& message,
                            ErrorCode code = ErrorCode::corrupt) const {
    fail("\"" + printable(key) + "\" " + message, code);
  }

  bool is(NodeId node, Kind kind) const { return node != kNoNode && graph_.kind(node) == kind; }
  bool is_object(NodeId node) const { return is(node, Kind::object); }

  /// Qualified class of an object or global; empty for anything else.
  std::string class_of(NodeId node) const {
    if (is(node, Kind::global)) return std::string(graph_.text(node));
    if (!is_object(node)) return {};
    return class_of(graph_.object(node).callee);
  }

  /// Attribute `name` that BUILD put into an object; kNoNode when there is none.
  NodeId attribute(NodeId node, std::string_view name) const {
    if (!is_object(node)) return kNoNode;
    for (const NodeId state : graph_.object(node).states) {
      if (!is(state, Kind::dict)) continue;
      const auto pairs = graph_.children(state);
      for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
        if (is(pairs[i], Kind::text) && graph_.text(pairs[i]) == name) return pairs[i + 1];
    }
    return kNoNode;
  }

  std::int64_t integer(NodeId node, const std::string& key, const char* what) const {
    if (!is(node, Kind::integer))
      fail_at(key, std::string("has ") + what + " that is no integer of 64 bits");
    return graph_.integer(node);
  }

  /// torch.Size(...), a tuple or a list of integers.
  std::vector<std::int64_t> integers(NodeId node, const std::string& key, const char* what) const {
    if (is_object(node) && class_of(node) == "torch.Size") {
      const auto arguments = graph_.children(graph_.object(node).args);
      if (arguments.size() != 1)
        fail_at(key, std::string("has ") + what + " that is no torch.Size");
      node = arguments[0];
    }
    if (!is(node, Kind::tuple) && !is(node, Kind::list))
      fail_at(key, std::string("has no ") + what);
    std::vector<std::int64_t> numbers;
    for (const NodeId member : graph_.children(node)) numbers.push_back(integer(member, key, what));
    if (numbers.size() > kRankMax) fail_at(key, "has more than 64 dimensions", ErrorCode::limit);
    return numbers;
  }

  /// planner_data: flat key -> the tuple of keys that it stands for. What is no tuple there is
  /// foreign.
  void nesting() {
    const NodeId planner = attribute(pickle_.root, "planner_data");
    if (!is(planner, Kind::dict)) return;
    const auto pairs = graph_.children(planner);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      if (!is(pairs[i], Kind::text)) continue;
      const std::string name(graph_.text(pairs[i]));
      if (is(pairs[i + 1], Kind::tuple))
        nesting_[name] = keys_of(pairs[i + 1], name);
      else
        foreign("planner_data", name, pairs[i + 1]);
    }
  }

  std::vector<SourceKey> keys_of(NodeId tuple, const std::string& name) const {
    std::vector<SourceKey> keys;
    for (const NodeId part : graph_.children(tuple)) {
      if (is(part, Kind::text))
        keys.push_back({SourceKey::Kind::string, std::string(graph_.text(part))});
      else if (is(part, Kind::integer))
        keys.push_back({SourceKey::Kind::integer, std::to_string(graph_.integer(part))});
      else
        fail_at(name, "is nested under a key that is neither text nor integer");
    }
    return keys;
  }

  void foreign(const char* where, const std::string& name, NodeId node) {
    Leaf leaf;
    leaf.source = {file_.file, {{SourceKey::Kind::string, where}, {SourceKey::Kind::string, name}}};
    leaf.kind = FieldKind::opaque;
    leaf.class_name = class_of(node);
    result_.foreign.push_back(std::move(leaf));
  }

  void items() {
    const NodeId all = attribute(pickle_.root, "state_dict_metadata");
    if (!is(all, Kind::dict)) fail("has no state_dict_metadata");
    const auto pairs = graph_.children(all);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      if (!is(pairs[i], Kind::text)) fail("has a key in state_dict_metadata that is no text");
      item(std::string(graph_.text(pairs[i])), pairs[i + 1]);
    }
  }

  void item(const std::string& name, NodeId node) {
    const std::string kind = class_of(node);
    DcpItem item;
    item.name = name;
    const auto nested = nesting_.find(name);
    item.keys = nested != nesting_.end() ? nested->second
                                         : std::vector<SourceKey>{{SourceKey::Kind::string, name}};
    if (kind == "torch.distributed.checkpoint.metadata.TensorStorageMetadata") {
      tensor(item, node);
    } else if (kind != "torch.distributed.checkpoint.metadata.BytesStorageMetadata") {
      foreign("state_dict_metadata", name, node);
      return;
    }
    result_.items.push_back(std::move(item));
  }

  void tensor(DcpItem& item, NodeId node) const {
    properties(item, attribute(node, "properties"));
    item.size = integers(attribute(node, "size"), item.name, "size");
    if (!tensor_byte_count(*item.dtype, item.size))
      fail_at(item.name, "has a size that is negative or overflows");
    const NodeId chunks = attribute(node, "chunks");
    if (!is(chunks, Kind::list) && !is(chunks, Kind::tuple))
      fail_at(item.name, "has no list of chunks");
    for (const NodeId chunk : graph_.children(chunks)) {
      DcpChunk block{integers(attribute(chunk, "offsets"), item.name, "chunk offsets"),
                     integers(attribute(chunk, "sizes"), item.name, "chunk sizes")};
      require_inside(item, block);
      item.chunks.push_back(std::move(block));
    }
  }

  void require_inside(const DcpItem& item, const DcpChunk& chunk) const {
    if (chunk.offsets.size() != item.size.size() || chunk.sizes.size() != item.size.size())
      fail_at(item.name, "has a chunk of another number of dimensions");
    for (std::size_t i = 0; i < item.size.size(); ++i) {
      const bool inside = chunk.offsets[i] >= 0 && chunk.sizes[i] >= 0 &&
                          chunk.offsets[i] <= item.size[i] &&
                          chunk.sizes[i] <= item.size[i] - chunk.offsets[i];
      if (!inside) fail_at(item.name, "has a chunk that reaches outside the tensor");
    }
  }

  /// TensorProperties is built from (dtype, layout, requires_grad, memory format, pin_memory), or
  /// from attributes.
  void properties(DcpItem& item, NodeId node) const {
    NodeId dtype = attribute(node, "dtype"), grad = attribute(node, "requires_grad");
    if (is_object(node)) {
      for (const NodeId state : graph_.object(node).states) {
        if (!is(state, Kind::tuple)) continue;
        const auto members = graph_.children(state);
        if (!members.empty()) dtype = members[0];
        if (members.size() > 2) grad = members[2];
      }
    }
    item.dtype = dtype_from(class_of(dtype));
    if (!item.dtype)
      fail_at(item.name, "has an unknown dtype \"" + printable(class_of(dtype)) + "\"",
              ErrorCode::unsupported);
    item.requires_grad = is(grad, Kind::boolean) && graph_.boolean(grad);
  }

  void records() {
    const NodeId all = attribute(pickle_.root, "storage_data");
    if (!is(all, Kind::dict)) fail("has no storage_data");
    const auto pairs = graph_.children(all);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) record(pairs[i], pairs[i + 1]);
  }

  void record(NodeId index, NodeId info) {
    const NodeId name = attribute(index, "fqn");
    if (!is(name, Kind::text)) fail("has a key in storage_data that is no MetadataIndex");
    DcpRecord record;
    record.name = std::string(graph_.text(name));
    const NodeId file = attribute(info, "relative_path");
    if (!is(file, Kind::text)) fail_at(record.name, "has no file in storage_data");
    record.file = std::string(graph_.text(file));
    record.offset = integer(attribute(info, "offset"), record.name, "an offset");
    record.length = integer(attribute(info, "length"), record.name, "a length");
    const NodeId chunk = attribute(index, "offset");
    if (chunk != kNoNode && !is(chunk, Kind::none))
      record.chunk = integers(chunk, record.name, "chunk offsets");
    const NodeId transforms = attribute(info, "transform_descriptors");
    record.transformed = (is(transforms, Kind::list) || is(transforms, Kind::tuple)) &&
                         !graph_.children(transforms).empty();
    result_.records.push_back(std::move(record));
  }

  /// A str, or the parts of a pathlib path.
  std::string path_text(NodeId node) const {
    if (is(node, Kind::text)) return std::string(graph_.text(node));
    std::string path;
    if (is_object(node) && class_of(node).starts_with("pathlib."))
      for (const NodeId part : graph_.children(graph_.object(node).args))
        if (is(part, Kind::text))
          path += (path.empty() || path == "/" ? "" : "/") + std::string(graph_.text(part));
    return path;
  }

  const FileSlice& file_;
  pickle::Pickle pickle_;
  const Graph& graph_;
  std::map<std::string, std::vector<SourceKey>> nesting_;
  DcpMetadata result_;
};

}  // namespace

DcpMetadata read_dcp_metadata(const FileSlice& file) { return Reader(file).read(); }

}  // namespace samestep
