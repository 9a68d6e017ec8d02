// Npy: NumPy's array files (.npy) and archives of them (.npz) (numpy/lib/format.py).
#pragma once

#include "checkpoint/containers/zip.h"
#include "checkpoint/formats/document.h"

namespace samestep {

bool is_npy(std::span<const std::byte> bytes) noexcept;
/// One array. Throws Error{corrupt, unsupported, limit} with file and offset.
Document read_npy(const FileSlice& file);

/// True when `archive` holds nothing but arrays.
bool is_npz(const ZipArchive& archive);
/// One array a record, keys = {its name}. Compressed records are inflated while somebody streams
/// them.
Document read_npz(const ZipArchive& archive);

}  // namespace samestep
