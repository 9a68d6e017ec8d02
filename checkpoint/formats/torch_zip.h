// TorchZip: the ZIP container of torch.save (torch 1.6 and later), of libtorch's torch::save and of
// TorchScript.
#pragma once

#include "checkpoint/containers/zip.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// Reads the pickle and the index; tensors are views into the file. `file` may be a part of a
/// larger file (a record of a .distcp shard). Throws Error{corrupt, unsupported, limit} with file
/// and offset, record or key.
Document read_torch_zip(const FileSlice& file);
/// The same for an archive whose index has been read.
Document read_torch_zip(const ZipArchive& archive);

/// True when `archive` holds a data.pkl below one folder, as torch writes it.
bool is_torch_zip(const ZipArchive& archive);

}  // namespace samestep
