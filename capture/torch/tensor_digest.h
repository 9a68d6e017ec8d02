// Digests of tensors and of batches, as a Python trainer's record has them.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "schemas/digest.h"

namespace samestep::libtorch {

/// Of the canonical bytes. Throws Error{unsupported} as tensor_entry does.
Digest digest_of(const at::Tensor& tensor);
std::string digest_text(const at::Tensor& tensor);
/// One digest for several tensors in their order; that of a lone one is its own. Undefined tensors
/// are left out.
Digest digest_of(at::ArrayRef<at::Tensor> tensors);

}  // namespace samestep::libtorch
