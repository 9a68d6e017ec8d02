// PythonFile: one file that torch, NumPy or Python's pickle wrote, found by its content.
#pragma once

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// True when `bytes` (of a whole file) begin like a ZIP file, a non-ZIP torch.save file, a .npy
/// array or a binary pickle.
bool looks_like_python_file(std::span<const std::byte> bytes) noexcept;

/// Reads torch.save (ZIP and not), libtorch and TorchScript archives, torch.export archives, .npz,
/// .npy and bare pickles. Throws Error{corrupt, unsupported, limit} with file and offset; a file
/// that is none of them is unsupported.
Document read_python_file(const FileSlice& file);

}  // namespace samestep
