#include "capture/torch/op_trace_memory.h"

#include <ATen/record_function.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "capture/torch/scalar_type.h"
#include "checkpoint/field_bytes.h"
#include "checkpoint/hasher.h"

namespace samestep::libtorch {
namespace {

// Larger ones are shared among threads (checkpoint/hasher).
constexpr std::size_t kAloneBytesMax = 2 << 20;

/// Wrappers whose own storage is empty, or is not what their operators see.
constexpr c10::DispatchKeySet kWrappers({c10::DispatchKey::Python, c10::DispatchKey::Functionalize,
                                         c10::DispatchKey::FuncTorchBatched,
                                         c10::DispatchKey::FuncTorchGradWrapper,
                                         c10::DispatchKey::Batched, c10::DispatchKey::ZeroTensor});

bool is_readable(const at::Tensor& tensor) {
  const auto* impl = tensor.unsafeGetTensorImpl();
  if (tensor.layout() != at::kStrided || tensor.is_meta() || tensor.is_nested()) return false;
  if (!impl->has_storage() || impl->key_set().has_any(kWrappers)) return false;
  return tensor.numel() == 0 || impl->storage().data() != nullptr;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) {
  hash = (hash ^ number) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

std::uint64_t geometry_of(const at::Tensor& tensor) {
  std::uint64_t hash = tensor.is_conj() * 2u + tensor.is_neg() + 1u;
  for (const std::int64_t size : tensor.sizes()) hash = mixed(hash, size);
  for (const std::int64_t stride : tensor.strides()) hash = mixed(hash, stride);
  return hash | 1;
}

/// Bytes from its first element to behind its last one.
std::uint64_t extent_of(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return 0;
  std::uint64_t last = 0;
  for (std::int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
  return (last + 1) * tensor.element_size();
}

std::uint32_t version_of(const at::Tensor& tensor) {
  return tensor.is_inference() ? 0
                               : tensor.unsafeGetTensorImpl()->version_counter().current_version();
}

std::vector<Digest> chunks_of(std::span<const std::byte> bytes) {
  std::vector<Digest> chunks;
  chunks.reserve((bytes.size() + kChunkBytes - 1) / kChunkBytes);
  while (!bytes.empty()) {
    const auto chunk = bytes.first(std::min<std::size_t>(bytes.size(), kChunkBytes));
    chunks.push_back(digest_of_chunk(chunk));
    bytes = bytes.subspan(chunk.size());
  }
  return chunks;
}

class SpanBytes final : public FieldBytes {
 public:
  explicit SpanBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void stream(const ByteSink& sink) const override { sink(bytes_); }
  std::span<const std::byte> contiguous() const override { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// The same elements on the host, in the same order.
at::Tensor on_host(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return tensor;
  const at::RecordFunctionGuard unseen(false);
  const c10::AutoGradMode no_grad(false);
  return tensor.detach().cpu();
}

}  // namespace

struct TraceMemory::View {
  const at::Tensor* tensor = nullptr;
  Dtype dtype = Dtype::none;
  Place place;
  std::uint64_t end = 0;  ///< behind its last byte
  std::uint32_t version = 0;
  bool in_order = true;  ///< row-major; else dense in another order, or with gaps
  bool dense = true;

  std::vector<Digest> chunks() const {
    const at::Tensor host = on_host(*tensor);
    const auto* base = static_cast<const std::byte*>(host.const_data_ptr());
    const bool lies_alike = dense && host.strides().equals(tensor->strides());
    if (lies_alike || (host.is_contiguous() && !host.is_conj() && !host.is_neg())) {
      const std::span bytes(base, place.bytes);
      if (bytes.size() < kAloneBytesMax) return chunks_of(bytes);
      return digest_of(SpanBytes(bytes), dtype, {}).chunks;
    }
    TensorView view{base, dtype, host.sizes().vec(), host.strides().vec()};
    view.conjugate = host.is_conj();
    view.negative = host.is_neg();
    return digest_of(*tensor_bytes(std::move(view), nullptr), dtype, {}).chunks;
  }
};

TraceMemory::View TraceMemory::view_of(const at::Tensor& tensor) {
  View view;
  const auto dtype = is_readable(tensor) ? dtype_of(tensor.scalar_type()) : std::nullopt;
  if (!dtype) return view;
  view.tensor = &tensor;
  view.dtype = *dtype;
  view.version = version_of(tensor);
  const bool lazy = tensor.is_conj() || tensor.is_neg();
  view.in_order = tensor.is_contiguous() && !lazy;
  view.dense = view.in_order || (!lazy && tensor.is_non_overlapping_and_dense());
  view.place.begin = static_cast<std::uint64_t>(tensor.storage_offset()) * tensor.element_size();
  view.place.bytes = tensor.nbytes();
  view.place.geometry = view.dense ? 0 : geometry_of(tensor);
  view.end = view.place.begin + extent_of(tensor);
  return view;
}

TraceMemory::Memory& TraceMemory::memory_of(const at::Tensor& tensor) {
  c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
  auto found = memories_.find(storage);
  if (found == memories_.end()) {
    found = memories_.emplace(storage, Memory{tensor.storage().getWeakStorageImpl()}).first;
    found->second.data = storage->data();
  }
  Memory& memory = found->second;
  if (memory.data != storage->data()) {  // given other memory
    memory.data = storage->data();
    memory.known.clear();
    memory.unset_bytes = 0;
    ++memory.writes;
  }
  return memory;
}

const TraceMemory::Known* TraceMemory::find(const Memory& memory, const View& view) {
  for (const Known& known : memory.known)
    if (known.place == view.place && known.version == view.version) return &known;
  return nullptr;
}

TensorReading TraceMemory::told(const View& view, const std::vector<Digest>& chunks) {
  const auto sizes = view.tensor->sizes();
  if (view.in_order || !view.dense) {
    const Reading reading = Reading::whole;
    return {reading, root_of(view.dtype, {sizes.data(), sizes.size()}, view.place.bytes, chunks)};
  }
  std::vector<std::int64_t> shape = sizes.vec();
  const auto strides = view.tensor->strides();
  shape.insert(shape.end(), strides.begin(), strides.end());
  return {Reading::laid, root_of(view.dtype, shape, view.place.bytes, chunks)};
}

TensorReading TraceMemory::digest(const View& view, bool made_here) {
  std::uint32_t writes = 0;
  {
    const std::lock_guard lock(mutex_);
    Memory& memory = memory_of(*view.tensor);
    const Known* known = find(memory, view);
    if (known != nullptr && !made_here) return told(view, known->chunks);
    writes = memory.writes;
  }
  Known known{view.place, view.version, made_here, view.chunks()};
  const TensorReading reading = told(view, known.chunks);
  const std::lock_guard lock(mutex_);
  Memory& memory = memory_of(*view.tensor);
  if (memory.writes != writes) return reading;  // another thread wrote meanwhile: kept by nobody
  std::erase_if(memory.known, [&](const Known& old) { return old.place == known.place; });
  memory.known.push_back(std::move(known));
  return reading;
}

TensorReading TraceMemory::input(const at::Tensor& tensor) {
  const View view = view_of(tensor);
  if (view.dtype == Dtype::none) return {};
  {
    const std::lock_guard lock(mutex_);
    const Memory& memory = memory_of(tensor);
    if (memory.unset_bytes > 0) return {Reading::unset, {}};
    if (find(memory, view) == nullptr) {
      // A view with gaps of what an operator wrote is as equal as that is: no second digest.
      for (const Known& known : memory.known) {
        const std::uint64_t end = known.place.begin + known.place.bytes;
        if (!known.made_here || known.version != view.version || known.place.geometry != 0)
          continue;
        if (view.place.begin < known.place.begin || view.end > end) continue;
        const std::int64_t bytes = static_cast<std::int64_t>(known.place.bytes);
        return {Reading::part, root_of(Dtype::uint8, {&bytes, 1}, known.place.bytes, known.chunks)};
      }
    }
  }
  return digest(view, false);
}

TensorReading TraceMemory::output(const at::Tensor& tensor) {
  const View view = view_of(tensor);
  if (view.dtype == Dtype::none) return {};
  {
    const std::lock_guard lock(mutex_);
    Memory& memory = memory_of(tensor);
    memory.unset_bytes -= std::min(memory.unset_bytes, view.place.bytes);
  }
  return digest(view, true);
}

void TraceMemory::wrote(const at::Tensor& tensor) {
  if (!is_readable(tensor)) return;
  const std::lock_guard lock(mutex_);
  Memory& memory = memory_of(tensor);
  memory.known.clear();
  ++memory.writes;
}

void TraceMemory::leave_unset(const at::Tensor& tensor) {
  if (!is_readable(tensor)) return;
  const std::lock_guard lock(mutex_);
  Memory& memory = memory_of(tensor);
  memory.known.clear();
  ++memory.writes;
  memory.unset_bytes = tensor.storage().nbytes();
}

bool is_wrapper(const at::Tensor& tensor) noexcept {
  return tensor.unsafeGetTensorImpl()->key_set().has_any(kWrappers);
}

Digest digest_of_bytes(const void* bytes, std::size_t size) noexcept {
  return digest_of_chunk({static_cast<const std::byte*>(bytes), size});
}

}  // namespace samestep::libtorch
