#include "tests/capture/torch/stand_in_device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceType.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace samestep::libtorch::stand_in {
namespace {

constexpr c10::StreamId kTrainer = 0;

/// Set by work of `stream`.
struct Mark {
  c10::StreamId stream = kTrainer;
  bool reached = false;
};
using MarkPtr = std::shared_ptr<Mark>;

/// Work, or a mark that other work waits for.
struct Task {
  std::function<void()> work;
  MarkPtr until;
};

class Streams {
 public:
  void ask(c10::StreamId stream, std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    queues_[stream].push_back({std::move(work), nullptr});
  }
  void block(c10::StreamId stream, MarkPtr until) {
    const std::lock_guard lock(mutex_);
    queues_[stream].push_back({nullptr, std::move(until)});
  }
  MarkPtr mark(c10::StreamId stream) {
    auto made = std::make_shared<Mark>(Mark{stream, false});
    ask(stream, [made] { made->reached = true; });
    return made;
  }
  void wait(const MarkPtr& until) {
    const std::lock_guard lock(mutex_);
    if (until->stream == kTrainer) ++trainer_waits_;  // not where work of another stream does
    run(*until);
  }
  void wait(c10::StreamId stream) { wait(mark(stream)); }
  void wait_for_all() {
    const std::lock_guard lock(mutex_);
    for (auto& [stream, queue] : queues_)
      if (!queue.empty()) run(*mark(stream));
  }
  std::size_t pending() {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [stream, queue] : queues_) count += queue.size();
    return count;
  }
  std::size_t trainer_waits() {
    const std::lock_guard lock(mutex_);
    return trainer_waits_;
  }
  c10::StreamId add() {
    const std::lock_guard lock(mutex_);
    return ++last_;
  }

 private:
  void run(const Mark& until) {
    while (!until.reached) {
      auto& queue = queues_[until.stream];
      if (queue.empty()) throw std::logic_error("nothing reaches this mark");
      const Task task = std::move(queue.front());
      queue.pop_front();
      if (task.until) run(*task.until);
      if (task.work) task.work();
    }
  }

  std::recursive_mutex mutex_;
  std::map<c10::StreamId, std::deque<Task>> queues_;
  c10::StreamId last_ = kTrainer;
  std::size_t trainer_waits_ = 0;
};

Streams& streams() {
  static auto* const all = new Streams;  // outlives what other objects free at the end
  return *all;
}

c10::StreamId& current() {
  thread_local c10::StreamId stream = kTrainer;
  return stream;
}

std::ptrdiff_t& room() {
  static std::ptrdiff_t tensors = -1;
  return tensors;
}

struct Block {
  c10::StreamId stream;
  std::size_t bytes;
  std::byte* data;
};

void overwrite(void* context) {
  const std::unique_ptr<Block> block(static_cast<Block*>(context));
  streams().ask(block->stream,
                [data = block->data, bytes = block->bytes] { std::memset(data, 0xA5, bytes); });
}

class Memory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (room() == 0) TORCH_CHECK_WITH(OutOfMemoryError, false, "the stand-in device is full");
    if (room() > 0) --room();
    // Kept to the end, as work that is late may still read it.
    blocks_.push_back(std::make_unique<std::byte[]>(bytes + 1));
    std::byte* const data = blocks_.back().get();
    return {data, new Block{current(), bytes, data}, &overwrite, kDevice};
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }

 private:
  std::deque<std::unique_ptr<std::byte[]>> blocks_;
};

Memory& memory() {
  static auto* const all = new Memory;
  return *all;
}

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kDevice.type(); }
  c10::Device exchangeDevice(c10::Device) const override { return kDevice; }
  c10::Device getDevice() const override { return kDevice; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Stream getStream(c10::Device) const override { return stream(current()); }
  c10::Stream getDefaultStream(c10::Device) const override { return stream(kTrainer); }
  c10::Stream getNewStream(c10::Device, int) const override { return stream(streams().add()); }
  c10::Stream exchangeStream(c10::Stream other) const override {
    return stream(std::exchange(current(), other.id()));
  }
  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex,
              const c10::EventFlag) const override {
    if (*event == nullptr) *event = new MarkPtr;
    *static_cast<MarkPtr*>(*event) = streams().mark(stream.id());
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event != nullptr) streams().block(stream.id(), *static_cast<MarkPtr*>(event));
  }
  bool queryEvent(void* event) const override {
    return event == nullptr || (*static_cast<MarkPtr*>(event))->reached;
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<MarkPtr*>(event);
  }
  void synchronizeEvent(void* event) const override {
    if (event != nullptr) streams().wait(*static_cast<MarkPtr*>(event));
  }
  void synchronizeStream(const c10::Stream& stream) const override { streams().wait(stream.id()); }
  void synchronizeDevice(const c10::DeviceIndex) const override { streams().wait_for_all(); }

 private:
  static c10::Stream stream(c10::StreamId id) {
    return c10::Stream(c10::Stream::UNSAFE, kDevice, id);
  }
};

const auto kKeys = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);

/// The autograd engine asks for these. Pinned memory is any of the host's, random numbers are too.
class Hooks final : public at::PrivateUse1HooksInterface {
 public:
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    return at::detail::getDefaultCPUGenerator();
  }
  c10::Allocator* getPinnedMemoryAllocator() const override { return c10::GetCPUAllocator(); }
};

[[maybe_unused]] const bool kIsRegistered = [] {
  c10::register_privateuse1_backend("stand_in");
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  return true;
}();

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &memory(), kKeys, type.value_or(at::kFloat), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
                         std::optional<at::ScalarType> type, std::optional<at::Layout>,
                         std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &memory(), kKeys,
                                           type.value_or(at::kFloat));
}

/// The same memory, as the host sees it.
at::Tensor on_host(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return tensor.detach();
  return at::from_blob(const_cast<void*>(tensor.const_data_ptr()), tensor.sizes(), tensor.strides(),
                       at::TensorOptions().dtype(tensor.scalar_type()));
}

at::Tensor& copy(at::Tensor& target, const at::Tensor& source, bool is_late) {
  const auto from = on_host(source.expand(target.sizes())), to = on_host(target);
  ask([from, to] {
    const c10::AutoGradMode no_grad(false);
    at::Tensor(to).copy_(from);
  });
  if (!is_late && (source.is_cpu() || target.is_cpu())) streams().wait(current());
  return target;
}

at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool is_late) {
  at::Tensor held = target;
  return copy(held, source, is_late);
}

at::Tensor copy_from_and_resize(const at::Tensor& source, const at::Tensor& target) {
  TORCH_CHECK(source.sizes() == target.sizes(), "the stand-in device does not resize");
  return copy_from(source, target, false);
}

void on_the_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::native::cpu_fallback(op, stack);
}

}  // namespace

void ask(std::function<void()> work) { streams().ask(current(), std::move(work)); }

void ask_to_write(const at::Tensor& tensor, float value) {
  ask([data = static_cast<float*>(tensor.mutable_data_ptr()), value] { *data = value; });
}

std::size_t pending() { return streams().pending(); }
std::size_t waits_for_the_trainer() { return streams().trainer_waits(); }
void finish() { streams().wait_for_all(); }
void be_full_after(std::ptrdiff_t tensors) { room() = tensors; }

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("view", &at::native::view);
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("_reshape_alias", &at::native::_reshape_alias);
  m.impl("copy_", &copy);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&on_the_host>());
}

}  // namespace samestep::libtorch::stand_in
