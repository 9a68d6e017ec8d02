// TorchLegacy: the container of torch.save before torch 1.6, and since then without
// _use_new_zipfile_serialization: five pickles, then the storages' bytes.
#pragma once

#include <optional>
#include <string>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"
#include "checkpoint/formats/storage_source.h"

namespace samestep {

/// True when `bytes` begin with the magic number, pickled by any protocol.
bool is_torch_legacy(std::span<const std::byte> bytes) noexcept;

/// Tensors are views into the file. The format keeps no checksums. Throws Error{corrupt} with file
/// and offset, or key.
Document read_torch_legacy(const FileSlice& file);

/// A storage that was saved by itself.
struct LoneStorage {
  Storage storage;
  Dtype dtype = Dtype::uint8;  ///< of its class; uint8 for an untyped one
  std::string location;
  std::uint64_t pickle_bytes = 0;  ///< what had to be read to find it
};

/// Of a file whose object is a storage; nothing when it is another object. Throws as
/// read_torch_legacy does.
std::optional<LoneStorage> read_lone_storage(const FileSlice& file);

}  // namespace samestep
