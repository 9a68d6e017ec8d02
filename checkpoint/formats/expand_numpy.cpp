#include "checkpoint/formats/expand_numpy.h"

#include <algorithm>
#include <cstring>

#include "checkpoint/containers/utf8.h"
#include "checkpoint/formats/strided_leaf.h"
#include "checkpoint/formats/tensor_leaf.h"
#include "checkpoint/small_float.h"
#include "schemas/error.h"

namespace samestep {

using pickle::Kind;
using pickle::NodeId;

namespace {

/// "core.multiarray.scalar" of either NumPy major, or nothing.
std::string_view numpy_name(const PickleView& view, NodeId id) {
  if (view.graph.kind(id) != Kind::global) return {};
  std::string_view name = view.graph.text(id);
  for (const std::string_view prefix : {"numpy._core.", "numpy.core."}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return {};
}

/// Elements of a class of their own (numpy.record): only their size is known.
std::optional<NumpyDtype> dtype_of_class(const PickleView& view, std::span<const NodeId> state) {
  constexpr std::int64_t kItemBytesMax = 1 << 28;
  if (state.size() < 6 || view.graph.kind(state[5]) != Kind::integer) return std::nullopt;
  const std::int64_t bytes = view.graph.integer(state[5]);
  if (bytes <= 0 || bytes > kItemBytesMax) return std::nullopt;
  NumpyDtype type;
  type.kind = 'V';
  type.dtype = Dtype::text;
  type.item_bytes = static_cast<std::uint32_t>(bytes);
  return type;
}

/// numpy.dtype(text, False, True), then the state (version, order, subtype, names, fields, size,
/// ...).
std::optional<NumpyDtype> dtype_of(const PickleView& view, NodeId id) {
  if (view.graph.kind(id) != Kind::object ||
      !view.is_global(view.graph.object(id).callee, "numpy.dtype")) {
    return std::nullopt;
  }
  const auto args = view.args(id);
  const auto& states = view.graph.object(id).states;
  const auto state =
      states.empty() ? std::span<const NodeId>() : view.graph.children(states.back());
  if (args.empty()) return std::nullopt;
  if (view.graph.kind(args[0]) == Kind::global) return dtype_of_class(view, state);
  if (view.graph.kind(args[0]) != Kind::text) return std::nullopt;
  auto type = parse_numpy_dtype(view.graph.text(args[0]));
  if (!type) return type;
  if (state.size() >= 2 && view.graph.kind(state[1]) == Kind::text)
    type->big_endian = view.graph.text(state[1]) == ">";
  return type;
}

bool expand_array(const PickleView& view, const pickle::Object& object, Expansion& out) {
  const auto state =
      object.states.empty() ? std::span<const NodeId>() : view.graph.children(object.states.back());
  if (state.size() < 5) return false;
  const auto type = dtype_of(view, state[2]);
  if (!type) return false;
  auto shape = view.integers(state[1], "the array's shape");
  if (type->is_object) {
    out.self = opaque_leaf("numpy.ndarray");
    out.self->shape = std::move(shape);
    const auto members = view.graph.children(state[4]);
    view.charge(members.size() * sizeof(Child));
    for (std::size_t i = 0; i < members.size(); ++i)
      out.children.push_back({index_key(i), members[i]});
    return true;
  }
  const auto data = view.bytes(state[4]);
  if (!data || type->item_bytes == 0) return false;
  out.self = array_leaf(*data, *type, std::move(shape), view.boolean(state[3], "the array's order"),
                        view.where());
  return true;
}

template <typename Number>
Number read_as(std::span<const std::byte> bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

/// Characters of a NumPy text scalar: UTF-32, padded with zeros.
std::string text_of(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    const auto code = read_as<std::uint32_t>(bytes.subspan(i));
    if (code == 0 || code > 0x10FFFF) break;
    append_utf8(text, code);
  }
  return text;
}

std::optional<Value> scalar_of(std::span<const std::byte> bytes, const NumpyDtype& type) {
  switch (type.dtype) {
    case Dtype::boolean:
      return Value(bytes[0] != std::byte{0});
    case Dtype::int8:
      return Value(std::int64_t{read_as<std::int8_t>(bytes)});
    case Dtype::int16:
      return Value(std::int64_t{read_as<std::int16_t>(bytes)});
    case Dtype::int32:
      return Value(std::int64_t{read_as<std::int32_t>(bytes)});
    case Dtype::int64:
      return Value(read_as<std::int64_t>(bytes));
    case Dtype::uint8:
      return Value(std::int64_t{read_as<std::uint8_t>(bytes)});
    case Dtype::uint16:
      return Value(std::int64_t{read_as<std::uint16_t>(bytes)});
    case Dtype::uint32:
      return Value(std::int64_t{read_as<std::uint32_t>(bytes)});
    case Dtype::uint64: {
      const auto number = read_as<std::uint64_t>(bytes);
      if (number <= static_cast<std::uint64_t>(INT64_MAX))
        return Value(static_cast<std::int64_t>(number));
      BigInt big{{bytes.begin(), bytes.begin() + 8}};
      big.bytes.push_back(std::byte{0});
      return Value(std::move(big));
    }
    case Dtype::float16:
      return Value(half_value(read_as<std::uint16_t>(bytes)));
    case Dtype::float32:
      return Value(static_cast<double>(read_as<float>(bytes)));
    case Dtype::float64:
      return Value(read_as<double>(bytes));
    case Dtype::text:
      if (type.kind == 'U') return Value(text_of(bytes));
      return Value(Bytes(bytes.begin(), bytes.end()));
    default:
      return std::nullopt;
  }
}

bool expand_scalar(const PickleView& view, std::span<const NodeId> args, Expansion& out) {
  if (args.size() != 2) return false;
  const auto type = dtype_of(view, args[0]);
  if (!type) return false;
  if (type->is_object) {
    out.same = args[1];
    return true;
  }
  const auto data = view.bytes(args[1]);
  if (!data || data->bytes.size() != type->item_bytes || data->bytes.empty()) {
    view.fail("the NumPy scalar has another size than its dtype");
  }
  view.charge(2 * data->bytes.size());
  std::vector<std::byte> bytes(data->bytes.begin(), data->bytes.end());
  if (type->big_endian && type->dtype != Dtype::text) std::reverse(bytes.begin(), bytes.end());
  auto value = scalar_of(bytes, *type);
  if (value) {
    out.self = value_leaf(std::move(*value), "numpy.scalar");
  } else {
    out.self = array_leaf(*data, *type, {}, false, view.where());
  }
  return true;
}

/// _frombuffer(buffer, dtype, shape, order): protocol 5.
bool expand_buffer(const PickleView& view, std::span<const NodeId> args, Expansion& out) {
  if (args.size() != 4) return false;
  const auto type = dtype_of(view, args[1]);
  const auto data = view.bytes(args[0]);
  if (!type || type->is_object || !data || type->item_bytes == 0) return false;
  const bool is_fortran = view.text(args[3], "the array's order") == "F";
  out.self = array_leaf(*data, *type, view.integers(args[2], "the array's shape"), is_fortran,
                        view.where());
  return true;
}

}  // namespace

Leaf array_leaf(const FileSlice& data, const NumpyDtype& type, std::vector<std::int64_t> shape,
                bool is_fortran, const std::string& where) {
  const auto elements = element_count(shape);
  std::int64_t bytes = 0;
  if (!elements || shape.size() > kRankMax ||
      __builtin_mul_overflow(*elements, type.item_bytes, &bytes) ||
      static_cast<std::uint64_t>(bytes) != data.bytes.size()) {
    throw Error(
        ErrorCode::corrupt,
        "the array's shape does not fit its " + std::to_string(data.bytes.size()) + " bytes", where,
        "use another checkpoint");
  }
  StridedView view;
  view.dtype = type.dtype;
  view.item_bytes = type.item_bytes;
  view.strides = row_major_strides(shape);
  if (is_fortran) {
    std::vector<std::int64_t> reversed(shape.rbegin(), shape.rend());
    view.strides = row_major_strides(reversed);
    std::reverse(view.strides.begin(), view.strides.end());
  }
  view.shape = std::move(shape);
  const bool swapped = type.big_endian && type.dtype != Dtype::text && type.item_bytes > 1;
  return strided_leaf(Storage{data, -1, swapped}, view, where);
}

bool expand_numpy(const PickleView& view, NodeId id, Expansion& out) {
  if (view.graph.kind(id) != Kind::object) return false;
  const pickle::Object& object = view.graph.object(id);
  if (const auto type = dtype_of(view, id); type && object.states.size() <= 1) {
    const NodeId text = view.args(id)[0];
    if (view.graph.kind(text) != Kind::text) return false;
    out.self = value_leaf(std::string(view.graph.text(text)), "numpy.dtype");
    return true;
  }
  const std::string_view name = numpy_name(view, object.callee);
  if (name == "multiarray._reconstruct") return expand_array(view, object, out);
  if (name == "multiarray.scalar") return expand_scalar(view, view.args(id), out);
  if (name == "numeric._frombuffer") return expand_buffer(view, view.args(id), out);
  return false;
}

}  // namespace samestep
