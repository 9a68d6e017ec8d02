#include "capture/torch/tensor_cell.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <cstring>
#include <utility>

#include "capture/torch/device_bytes.h"
#include "capture/torch/live_bytes.h"
#include "capture/torch/scalar_type.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep::libtorch {
namespace {

[[noreturn]] void unsupported(const FieldPlace& place, const std::string& what) {
  throw Error(ErrorCode::unsupported, "is " + what + ", which samestep cannot read",
              FieldPath::of(place.parts).text(), "keep it out of what is watched");
}

/// Not so where a trainer gave the storage back (resize_(0)) and kept the tensor.
bool has_memory(const at::Tensor& tensor) {
  if (tensor.numel() == 0 || tensor.is_quantized()) return true;  // these have their own layouts
  return tensor.storage().nbytes() >=
         at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize(),
                                          static_cast<std::size_t>(tensor.storage_offset()));
}

FieldBytesPtr bytes_of(const at::Tensor& tensor, Dtype dtype) {
  if (!tensor.is_cpu() && !tensor.is_quantized()) return std::make_shared<DeviceBytes>(tensor);
  // The handle keeps the memory alive, on the host a view and elsewhere the copy.
  const auto host =
      std::make_shared<at::Tensor>(tensor.is_cpu() ? tensor.detach() : tensor.detach().cpu());
  TensorView view{static_cast<const std::byte*>(host->const_data_ptr()), dtype, host->sizes().vec(),
                  host->strides().vec()};
  view.conjugate = host->is_conj();
  view.negative = host->is_neg();
  if (!tensor.is_cpu()) return tensor_bytes(std::move(view), host);
  return std::make_shared<LiveBytes>(tensor, std::move(view), host);
}

std::string shape_text(at::IntArrayRef shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

std::string text_of(Dtype dtype, at::IntArrayRef shape) {
  return std::string(to_string(dtype)) + " " + shape_text(shape);
}

at::Tensor host_tensor_from(const StateEntry& entry) {
  const auto type = scalar_type_of(entry.field.dtype);
  SAMESTEP_CHECK(type && entry.bytes);
  at::Tensor made = at::empty(entry.field.shape, at::TensorOptions().dtype(*type));
  SAMESTEP_CHECK(made.nbytes() == entry.bytes->size());
  auto* target = static_cast<std::byte*>(made.mutable_data_ptr());
  entry.bytes->stream([&target](std::span<const std::byte> piece) {
    std::memcpy(target, piece.data(), piece.size());
    target += piece.size();
  });
  return made;
}

}  // namespace

StateEntry tensor_entry(const FieldPlace& place, const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided || tensor.is_meta() || tensor.is_nested())
    unsupported(place, "a tensor without strided memory");
  const auto dtype = dtype_of(tensor.scalar_type());
  if (!dtype) unsupported(place, std::string("of type ") + c10::toString(tensor.scalar_type()));
  if (!has_memory(tensor)) unsupported(place, "a tensor whose memory was given back");

  StateEntry entry;
  Field& field = entry.field;
  field.path = FieldPath::of(place.parts);
  field.role = place.role;
  field.kind = FieldKind::tensor;
  field.traits = place.traits;
  field.dtype = *dtype;
  field.shape = tensor.sizes().vec();
  if (!tensor.is_contiguous()) field.layout.strides = tensor.strides().vec();
  field.layout.storage =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(tensor.storage().data()));
  field.layout.storage_offset = tensor.storage_offset();
  field.layout.device = tensor.device().str();
  field.layout.requires_grad = tensor.requires_grad();

  entry.bytes = bytes_of(tensor, *dtype);
  field.bytes = entry.bytes->size();
  return entry;
}

std::optional<std::string> tensor_refusal(const at::Tensor& tensor, const StateEntry& entry) {
  const auto dtype = dtype_of(tensor.scalar_type());
  if (!dtype) return "is of a type here that samestep does not know";
  if (entry.field.kind != FieldKind::tensor || !entry.bytes)
    return "is no tensor there and " + text_of(*dtype, tensor.sizes()) + " here";
  if (entry.field.dtype == *dtype && tensor.sizes().equals(entry.field.shape)) return std::nullopt;
  return "is " + text_of(entry.field.dtype, entry.field.shape) + " there and " +
         text_of(*dtype, tensor.sizes()) + " here";
}

void write_tensor(const at::Tensor& tensor, const StateEntry& entry) {
  const c10::AutoGradMode no_grad(false);
  tensor.detach().copy_(host_tensor_from(entry));
}

at::Tensor tensor_from(const StateEntry& entry) {
  const at::Tensor made = host_tensor_from(entry);
  const std::string& device = entry.field.layout.device;
  return device.empty() || device == "cpu" ? made : made.to(c10::Device(device));
}

void TensorCell::read(const FieldPlace& place, std::vector<StateEntry>& fields) const {
  if (tensor_.defined()) fields.push_back(tensor_entry(place, tensor_));
}

std::optional<std::string> TensorCell::refusal(Rest rest, const StateEntry& entry) const {
  if (!rest.empty()) return "there is a tensor here, which has no parts";
  if (tensor_.defined()) return tensor_refusal(tensor_, entry);
  if (entry.field.kind != FieldKind::tensor || !entry.bytes) return "is no tensor there";
  if (!scalar_type_of(entry.field.dtype)) return "is of a type that libtorch does not have";
  return std::nullopt;
}

void TensorCell::write(Rest, const StateEntry& entry) {
  if (tensor_.defined()) return write_tensor(tensor_, entry);
  tensor_ = tensor_from(entry);
}

void TensorCell::erase(Rest) { tensor_ = at::Tensor(); }

}  // namespace samestep::libtorch
