// TorchLegacy: the container of torch.save before torch 1.6, and since then without
// _use_new_zipfile_serialization: five pickles, then the storages' bytes.
#pragma once

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// True when `bytes` begin with the magic number, pickled by any protocol.
bool is_torch_legacy(std::span<const std::byte> bytes) noexcept;

/// Tensors are views into the file. The format keeps no checksums. Throws Error{corrupt} with file
/// and offset, or key.
Document read_torch_legacy(const FileSlice& file);

}  // namespace samestep
