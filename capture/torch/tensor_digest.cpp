#include "capture/torch/tensor_digest.h"

#include "capture/torch/tensor_cell.h"
#include "checkpoint/hasher.h"

namespace samestep::libtorch {

Digest digest_of(const at::Tensor& tensor) {
  const StateEntry entry = tensor_entry({}, tensor);
  return samestep::digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root;
}

std::string digest_text(const at::Tensor& tensor) { return digest_of(tensor).hex(); }

Digest digest_of(at::ArrayRef<at::Tensor> tensors) {
  if (tensors.size() == 1 && tensors[0].defined()) return digest_of(tensors[0]);
  std::string text;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) continue;
    text += (text.empty() ? "/" : "\n/") + std::to_string(i) + " " + digest_text(tensors[i]);
  }
  return samestep::digest_of(Value(std::move(text))).root;
}

}  // namespace samestep::libtorch
