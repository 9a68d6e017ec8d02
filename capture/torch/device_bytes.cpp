#include "capture/torch/device_bytes.h"

#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <c10/core/Event.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schemas/error.h"

namespace samestep::libtorch {
namespace {

std::int64_t bytes_of(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

/// Row-major parts of at most `piece_bytes`, or of one element.
void cut(const at::Tensor& tensor, std::int64_t piece_bytes, std::vector<at::Tensor>& parts) {
  if (tensor.numel() == 0) return;
  if (bytes_of(tensor) <= piece_bytes) return parts.push_back(tensor);
  const at::Tensor rows = tensor.is_contiguous() ? tensor.view(-1) : tensor;
  const std::int64_t count = rows.size(0), row_bytes = bytes_of(rows) / count;
  if (row_bytes > piece_bytes && rows.dim() > 1) {
    for (std::int64_t i = 0; i < count; ++i) cut(rows.select(0, i), piece_bytes, parts);
    return;
  }
  const std::int64_t step = std::max<std::int64_t>(piece_bytes / row_bytes, 1);
  for (std::int64_t i = 0; i < count; i += step)
    parts.push_back(rows.narrow(0, i, std::min(step, count - i)));
}

/// Of memory that the device copies to by itself, where that is to be had.
at::Tensor staging(std::int64_t bytes) {
  const auto options = at::TensorOptions().dtype(at::kByte);
  try {
    return at::empty({bytes}, options.pinned_memory(true));
  } catch (const c10::Error&) {
    return at::empty({bytes}, options);
  }
}

std::span<const std::byte> bytes_at(const at::Tensor& host) {
  return {static_cast<const std::byte*>(host.const_data_ptr()), host.nbytes()};
}

void read_at_once(const std::vector<at::Tensor>& parts, std::int64_t longest,
                  const ByteSink& sink) {
  const at::Tensor target = staging(longest);
  for (const at::Tensor& part : parts) {
    const at::Tensor plain = part.resolve_conj().resolve_neg().contiguous();
    at::Tensor held = target.narrow(0, 0, bytes_of(part));
    held.copy_(plain.view(-1).view(at::kByte));
    sink(bytes_at(held));
  }
}

/// A piece on its way to the host. Its memory is not let go before it has arrived.
class Arrival {
 public:
  explicit Arrival(std::int64_t longest) : target_(staging(longest)) {}
  ~Arrival() {
    try {
      if (done_) done_->synchronize();
    } catch (const c10::Error&) {  // told where it was waited for; there is no copy under way
    }
  }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;

  void ask(const DeviceLane& lane, const at::Tensor& part) {
    held_ = target_.narrow(0, 0, bytes_of(part));
    done_.emplace(lane.copy(part, held_));
  }
  std::span<const std::byte> wait() {
    done_->synchronize();
    done_.reset();
    return bytes_at(held_);
  }

 private:
  at::Tensor target_, held_;
  std::optional<c10::Event> done_;
};

/// The next part is on its way while one is read.
void read_beside(const std::vector<at::Tensor>& parts, std::int64_t longest, const DeviceLane& lane,
                 const ByteSink& sink) {
  Arrival even(longest), odd(parts.size() > 1 ? longest : 0);
  const auto at = [&](std::size_t i) -> Arrival& { return i % 2 == 0 ? even : odd; };
  at(0).ask(lane, parts[0]);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i + 1 < parts.size()) at(i + 1).ask(lane, parts[i + 1]);
    sink(at(i).wait());
  }
}

}  // namespace

DeviceBytes::DeviceBytes(at::Tensor tensor, std::shared_ptr<const DeviceLane> lane,
                         std::int64_t piece_bytes)
    : tensor_(std::move(tensor)), lane_(std::move(lane)), piece_bytes_(piece_bytes) {}

void DeviceBytes::stream(const ByteSink& sink) const try {
  const c10::AutoGradMode no_grad(false);
  const at::RecordFunctionGuard unseen(false);
  std::vector<at::Tensor> parts;
  cut(tensor_.detach(), piece_bytes_, parts);
  if (parts.empty()) return;
  const std::int64_t longest = bytes_of(*std::ranges::max_element(parts, {}, bytes_of));
  if (lane_ == nullptr) return read_at_once(parts, longest, sink);
  read_beside(parts, longest, *lane_, sink);
} catch (const c10::Error& error) {
  throw Error(ErrorCode::unreadable, error.what_without_backtrace(),
              "memory of " + tensor_.device().str(),
              "record without `background`, or look at the device's own errors");
}

}  // namespace samestep::libtorch
