#include "checkpoint/formats/expand_torch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "checkpoint/formats/expand_python.h"
#include "checkpoint/formats/pickled_storage.h"
#include "checkpoint/formats/strided_leaf.h"
#include "checkpoint/formats/tensor_leaf.h"
#include "checkpoint/pickle/key_text.h"
#include "checkpoint/pickle/pairs.h"

namespace samestep {

using pickle::Kind;
using pickle::NodeId;
using Args = std::span<const NodeId>;

namespace {

constexpr int kWrapsMax = 8, kScriptDepthMax = 64;

struct StorageClass {
  std::string_view name;
  Dtype dtype;
};
constexpr std::array kStorageClasses = {
    StorageClass{"FloatStorage", Dtype::float32},
    StorageClass{"DoubleStorage", Dtype::float64},
    StorageClass{"HalfStorage", Dtype::float16},
    StorageClass{"BFloat16Storage", Dtype::bfloat16},
    StorageClass{"LongStorage", Dtype::int64},
    StorageClass{"IntStorage", Dtype::int32},
    StorageClass{"ShortStorage", Dtype::int16},
    StorageClass{"CharStorage", Dtype::int8},
    StorageClass{"ByteStorage", Dtype::uint8},
    StorageClass{"BoolStorage", Dtype::boolean},
    StorageClass{"ComplexFloatStorage", Dtype::complex64},
    StorageClass{"ComplexDoubleStorage", Dtype::complex128},
    StorageClass{"QInt8Storage", Dtype::qint8},
    StorageClass{"QUInt8Storage", Dtype::quint8},
    StorageClass{"QInt32Storage", Dtype::qint32},
    StorageClass{"QUInt4x2Storage", Dtype::quint4x2},
    StorageClass{"QUInt2x4Storage", Dtype::quint2x4},
};

/// "FloatStorage" of torch.FloatStorage, torch.cuda.FloatStorage, torch.storage.UntypedStorage;
/// nothing for others.
std::string_view storage_class_name(std::string_view name) {
  for (const std::string_view prefix : {"torch.cuda.", "torch.storage.", "torch."}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

/// A dtype global ("torch.bfloat16").
std::optional<Dtype> dtype_global(const PickleView& view, NodeId id) {
  if (view.graph.kind(id) != Kind::global) return std::nullopt;
  const std::string_view name = view.graph.text(id);
  if (!name.starts_with("torch.")) return std::nullopt;
  return dtype_from(name.substr(6));
}

Dtype dtype_argument(const PickleView& view, NodeId id) {
  const auto dtype = dtype_global(view, id);
  if (!dtype) view.fail("the dtype '" + pickle::class_name_of(view.graph, id) + "' is not known");
  return *dtype;
}

LoneStorage storage_argument(const PickleView& view, NodeId id) {
  if (auto pickled = pickled_storage(view, id)) return std::move(*pickled);
  const auto named = storage_id(view, id);
  if (!named) view.fail("the tensor's storage is no storage");
  if (view.storages == nullptr) view.fail("the tensor's storage lies in another file");
  return {view.storages->find(named->name, view.where()), named->dtype,
          std::string(named->location)};
}

/// storage, offset, size, stride: the first four arguments of each dense rebuild call.
Leaf dense_leaf(const PickleView& view, Args args, std::optional<Dtype> dtype,
                StridedView strided = {}) {
  const LoneStorage found = storage_argument(view, args[0]);
  strided.dtype = dtype.value_or(found.dtype);
  strided.offset = view.integer(args[1], "the tensor's offset");
  strided.shape = view.integers(args[2], "the tensor's shape");
  strided.strides = view.integers(args[3], "the tensor's strides");
  Leaf leaf = strided_leaf(found.storage, strided, view.where());
  leaf.layout.device = found.location;
  return leaf;
}

/// The dictionary that may follow: lazy conjugate and negative bits.
void read_bits(const PickleView& view, NodeId metadata, StridedView& strided) {
  if (view.graph.kind(metadata) != Kind::dict) return;
  constexpr std::size_t kBitsMax = 16;
  const Args pairs = view.graph.children(metadata);
  if (pairs.size() > kBitsMax) view.fail("the tensor's metadata hold more than torch writes");
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (view.graph.kind(pairs[i]) != Kind::text || view.graph.kind(pairs[i + 1]) != Kind::boolean)
      continue;
    if (view.graph.text(pairs[i]) == "conj") strided.conjugate = view.graph.boolean(pairs[i + 1]);
    if (view.graph.text(pairs[i]) == "neg") strided.negative = view.graph.boolean(pairs[i + 1]);
  }
}

void need(const PickleView& view, Args args, std::size_t count, std::string_view name) {
  if (args.size() < count) {
    view.fail(std::string(name) + " has " + std::to_string(args.size()) + " arguments, not " +
              std::to_string(count));
  }
}

/// A tensor of a dtype that only a newer torch knows: its storage without a meaning.
bool expand_unknown_dtype(const PickleView& view, Args args, Expansion& out) {
  const std::string name = pickle::class_name_of(view.graph, args[6]);
  if (view.graph.kind(args[6]) != Kind::global || !name.starts_with("torch.") ||
      dtype_global(view, args[6]))
    return false;
  out.self = opaque_leaf(name);
  constexpr std::array kNames = {"storage", "storage_offset", "size", "stride"};
  for (std::size_t i = 0; i < kNames.size(); ++i)
    out.children.push_back({attribute_key(kNames[i]), args[i]});
  return true;
}

bool expand_dense(const PickleView& view, std::string_view name, Args args, Expansion& out) {
  const bool v3 = name == "_rebuild_tensor_v3", v2 = name == "_rebuild_tensor_v2";
  if (!v3 && !v2 && name != "_rebuild_tensor") return false;
  need(view, args, v3 ? 7 : v2 ? 6 : 4, name);
  if (v3 && expand_unknown_dtype(view, args, out)) return true;
  StridedView strided;
  const std::size_t bits_at = v3 ? 7 : 6;
  if ((v2 || v3) && args.size() > bits_at) read_bits(view, args[bits_at], strided);
  out.self = dense_leaf(view, args,
                        v3 ? std::optional(dtype_argument(view, args[6])) : std::nullopt, strided);
  if (v2 || v3) out.self->layout.requires_grad = view.boolean(args[4], "requires_grad");
  return true;
}

bool expand_quantised(const PickleView& view, std::string_view name, Args args, Expansion& out) {
  if (name != "_rebuild_qtensor") return false;
  need(view, args, 6, name);
  out.self = dense_leaf(view, args, std::nullopt);
  const Args params = view.graph.children(args[4]);
  constexpr std::array kNames = {"qscheme", "scale", "zero_point", "axis"};
  for (std::size_t i = 0; i < std::min(params.size(), kNames.size()); ++i) {
    out.children.push_back({attribute_key(kNames[i]), params[i]});
  }
  return true;
}

/// Sparse tensors: indices and values are tensors of their own.
bool expand_sparse(const PickleView& view, std::string_view name, Args args, Expansion& out) {
  if (name != "_rebuild_sparse_tensor" && name != "_rebuild_sparse_csr_tensor") return false;
  need(view, args, 2, name);
  const Args parts = view.graph.children(args[1]);
  const bool compressed = parts.size() == 4 && view.graph.kind(parts[3]) != Kind::boolean;
  need(view, parts, 3, name);
  out.self = opaque_leaf("torch.sparse");
  const std::array<const char*, 4> names =
      compressed ? std::array{"compressed_indices", "plain_indices", "values", "size"}
                 : std::array{"indices", "values", "size", "is_coalesced"};
  out.children.push_back({attribute_key("layout"), args[0]});
  for (std::size_t i = 0; i < std::min(parts.size(), names.size()); ++i) {
    out.children.push_back({attribute_key(names[i]), parts[i]});
  }
  return true;
}

bool expand_nested(const PickleView& view, std::string_view name, Args args, Expansion& out) {
  if (name != "_rebuild_nested_tensor") return false;
  constexpr std::array kNames = {"buffer", "sizes", "strides", "storage_offsets"};
  need(view, args, kNames.size(), name);
  out.self = opaque_leaf("torch.nested");
  for (std::size_t i = 0; i < kNames.size(); ++i)
    out.children.push_back({attribute_key(kNames[i]), args[i]});
  return true;
}

bool expand_meta(const PickleView& view, std::string_view name, Args args, Expansion& out) {
  if (name != "_rebuild_meta_tensor_no_storage") return false;
  need(view, args, 4, name);
  Leaf leaf = opaque_leaf("torch.meta");
  leaf.kind = FieldKind::tensor;
  leaf.dtype = dtype_argument(view, args[0]);
  leaf.shape = view.integers(args[1], "the tensor's shape");
  if (!element_count(leaf.shape)) view.fail("the tensor's shape is negative or overflows 64 bits");
  leaf.layout.device = "meta";
  leaf.layout.requires_grad = view.boolean(args[3], "requires_grad");
  leaf.bytes = tensor_bytes(TensorView{nullptr, leaf.dtype, {0}, {1}}, nullptr);
  out.self = std::move(leaf);
  return true;
}

void add_attributes(const PickleView& view, NodeId state, Expansion& out) {
  const bool slots = view.graph.kind(state) == Kind::tuple && !view.graph.children(state).empty();
  const NodeId attributes = slots ? view.graph.children(state)[0] : state;
  if (view.graph.kind(attributes) != Kind::dict) return;
  Expansion entries;
  add_pairs(view, view.graph.children(attributes), entries);
  for (Child& child : entries.children) {
    if (child.key.kind == SourceKey::Kind::string) child.key.kind = SourceKey::Kind::attribute;
    out.children.push_back(std::move(child));
  }
}

bool expand_call(const PickleView& view, NodeId callee, Args args, Expansion& out, int depth);

/// A tensor of a subclass, or with attributes: what the inner call makes, and they.
bool expand_subclass(const PickleView& view, std::string_view name, Args args, Expansion& out,
                     int depth) {
  if (name != "_rebuild_from_type_v2" && name != "_rebuild_from_type") return false;
  need(view, args, 4, name);
  if (view.graph.kind(args[2]) != Kind::tuple) view.fail("the tensor's arguments are no tuple");
  if (depth > kWrapsMax) view.fail("tensors are wrapped too deep");
  out.class_name = pickle::class_name_of(view.graph, args[1]);
  if (!expand_call(view, args[0], view.graph.children(args[2]), out, depth + 1)) {
    out.self = opaque_leaf(out.class_name);
    out.children.push_back({attribute_key("__args__"), args[2]});
  }
  add_attributes(view, args[3], out);
  return true;
}

/// Calls that stand for another tensor.
bool expand_wrapped(const PickleView& view, std::string_view name, Args args, Expansion& out) {
  const bool parameter = name == "_rebuild_parameter" || name == "_rebuild_parameter_with_state";
  const bool device = name == "_rebuild_device_tensor_from_numpy" ||
                      name == "_rebuild_device_tensor_from_cpu_tensor";
  if (!parameter && !device) return false;
  need(view, args, parameter ? 3 : 4, name);
  if (name == "_rebuild_parameter_with_state" && args.size() > 3)
    add_attributes(view, args[3], out);
  out.same = args[0];
  out.requires_grad = view.boolean(args[parameter ? 1 : 3], "requires_grad");
  if (parameter && out.class_name.empty()) out.class_name = "torch.nn.parameter.Parameter";
  return true;
}

bool expand_call(const PickleView& view, NodeId callee, Args args, Expansion& out, int depth) {
  if (view.graph.kind(callee) != Kind::global) return false;
  std::string_view name = view.graph.text(callee);
  for (const std::string_view prefix : {"torch._utils.", "torch._tensor.", "torch.tensor."}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  if (!name.starts_with("_rebuild_")) return false;
  return expand_dense(view, name, args, out) || expand_quantised(view, name, args, out) ||
         expand_sparse(view, name, args, out) || expand_nested(view, name, args, out) ||
         expand_meta(view, name, args, out) || expand_subclass(view, name, args, out, depth) ||
         expand_wrapped(view, name, args, out);
}

std::string device_text(const PickleView& view, Args args) {
  if (args.empty() || view.graph.kind(args[0]) != Kind::text) view.fail("the device has no type");
  std::string text(view.graph.text(args[0]));
  if (args.size() > 1 && view.graph.kind(args[1]) == Kind::integer) {
    text += ":" + std::to_string(view.graph.integer(args[1]));
  }
  return text;
}

/// An object of TorchScript or libtorch: its attributes are its entries. TorchScript's modules
/// (they have a `training` flag, libtorch's have none) are joined as state_dict() joins them:
/// "layer.weight".
bool expand_script(const PickleView& view, NodeId id, const std::string& prefix, int depth,
                   Expansion& out) {
  const pickle::Object& object = view.graph.object(id);
  const bool script = view.graph.kind(object.callee) == Kind::global &&
                      view.graph.text(object.callee).starts_with("__torch__.") &&
                      object.states.size() == 1 && view.graph.kind(object.states[0]) == Kind::dict;
  if (!script || depth > kScriptDepthMax) return false;
  const Args pairs = view.graph.children(object.states[0]);
  const bool joined = pickle::find_pair(view.graph, pairs, "training") != pickle::kNoNode;
  Expansion entries;
  add_pairs(view, pairs, entries);
  for (Child& child : entries.children) {
    child.key.text = prefix + child.key.text;
    const bool below = joined && view.graph.kind(child.node) == Kind::object;
    if (!below || !expand_script(view, child.node, child.key.text + ".", depth + 1, out)) {
      view.charge(child.key.text.size());
      out.children.push_back(std::move(child));
    }
  }
  return true;
}

bool expand_small(const PickleView& view, NodeId callee, Args args, Expansion& out) {
  if (view.graph.kind(callee) != Kind::global) return false;
  const std::string_view name = view.graph.text(callee);
  if (name == "torch.Size") {
    if (args.size() != 1) view.fail("torch.Size has no one argument");
    out.self = value_leaf(Numbers{view.integers(args[0], "torch.Size")}, "torch.Size");
  } else if (name == "torch.device") {
    out.self = value_leaf(device_text(view, args), "torch.device");
  } else if (name == "torch.serialization._get_layout") {
    if (args.size() != 1) view.fail("the layout has no name");
    out.self = value_leaf(std::string(view.text(args[0], "the layout")), "torch.layout");
  } else if (name.starts_with("torch.jit._pickle.") && !args.empty()) {
    out.same = args[0];  // build_intlist and its kin, restore_type_tag
  } else {
    return false;
  }
  return true;
}

/// (key of the view, offset, size) in elements: files of torch 0.4 and older.
void read_view(const PickleView& view, Args parts, StorageId& storage) {
  need(view, parts, 3, "a storage's view");
  const std::int64_t item = element_bytes(storage.dtype);
  const std::int64_t offset = view.integer(parts[1], "the view's offset"),
                     size = view.integer(parts[2], "the view's size");
  std::int64_t begin = 0, bytes = 0;
  if (offset < 0 || size < 0 || __builtin_mul_overflow(offset, item, &begin) ||
      __builtin_mul_overflow(size, item, &bytes)) {
    view.fail("the storage's view is negative or overflows 64 bits");
  }
  storage.name.view_offset = static_cast<std::uint64_t>(begin);
  storage.name.view_bytes = static_cast<std::uint64_t>(bytes);
}

/// A storage outside a tensor.
bool expand_storage(const PickleView& view, NodeId id, Expansion& out) {
  const bool persistent = view.storages != nullptr && storage_id(view, id).has_value();
  const auto found =
      persistent ? std::optional(storage_argument(view, id)) : pickled_storage(view, id);
  if (!found) return false;
  StridedView strided;
  strided.dtype = Dtype::uint8;
  strided.shape = {static_cast<std::int64_t>(found->storage.slice.bytes.size())};
  strided.strides = {1};
  out.parts.emplace_back(
      attribute_key("dtype"),
      value_leaf("torch." + std::string(to_string(found->dtype)), "torch.dtype"));
  out.parts.emplace_back(attribute_key("_untyped_storage"),
                         strided_leaf(found->storage, strided, view.where()));
  out.parts.back().second.layout.device = found->location;
  return true;
}

}  // namespace

std::optional<StorageId> storage_id(const PickleView& view, NodeId id) {
  if (view.graph.kind(id) != Kind::persistent) return std::nullopt;
  const NodeId tuple = view.graph.children(id)[0];
  const Args parts = view.graph.kind(tuple) == Kind::tuple ? view.graph.children(tuple) : Args();
  if (parts.size() < 5 || view.graph.kind(parts[0]) != Kind::text ||
      view.graph.text(parts[0]) != "storage") {
    return std::nullopt;
  }
  const std::string class_name = pickle::class_name_of(view.graph, parts[1]);
  const std::string_view name = storage_class_name(class_name);
  StorageId result;
  if (name != "UntypedStorage" && name != "_UntypedStorage") {
    const auto* known =
        std::find_if(kStorageClasses.begin(), kStorageClasses.end(),
                     [&](const StorageClass& candidate) { return candidate.name == name; });
    if (known == kStorageClasses.end())
      view.fail("the storage class '" + class_name + "' is not known");
    result.dtype = known->dtype;
    result.is_typed = true;
  }
  result.name.key = view.text(parts[2], "the storage's key");
  result.location =
      view.graph.kind(parts[3]) == Kind::text ? view.graph.text(parts[3]) : std::string_view();
  const std::int64_t elements = view.integer(parts[4], "the storage's size");
  std::int64_t bytes = 0;
  if (elements < 0 || __builtin_mul_overflow(elements, element_bytes(result.dtype), &bytes)) {
    view.fail("the storage's size is negative or overflows 64 bits");
  }
  result.name.bytes = static_cast<std::uint64_t>(bytes);
  if (parts.size() > 5 && view.graph.kind(parts[5]) == Kind::tuple)
    read_view(view, view.graph.children(parts[5]), result);
  return result;
}

bool expand_torch(const PickleView& view, NodeId id, Expansion& out) {
  if (view.graph.kind(id) == Kind::persistent) return expand_storage(view, id, out);
  if (const auto dtype = dtype_global(view, id)) {
    out.self = value_leaf("torch." + std::string(to_string(*dtype)), "torch.dtype");
    return true;
  }
  if (view.graph.kind(id) != Kind::object) return false;
  const NodeId callee = view.graph.object(id).callee;
  return expand_script(view, id, "", 0, out) || expand_call(view, callee, view.args(id), out, 0) ||
         expand_small(view, callee, view.args(id), out) || expand_storage(view, id, out);
}

}  // namespace samestep
