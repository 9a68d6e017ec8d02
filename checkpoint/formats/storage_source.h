// StorageSource: where the tensors of a pickle keep their bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/containers/file_slice.h"

namespace samestep {

/// What a persistent id of torch.save says about a storage.
struct StorageName {
  std::string_view key;
  std::uint64_t bytes = 0;        ///< the size that the pickle claims
  std::uint64_t view_offset = 0;  ///< bytes; of a view into a storage (old non-ZIP files)
  std::optional<std::uint64_t> view_bytes;
};

struct Storage {
  FileSlice slice;            ///< exactly StorageName::bytes long
  std::int64_t number = -1;   ///< equal numbers share memory
  bool byte_swapped = false;  ///< big-endian
};

/// One container's storages. Implementations find them by key and never trust a claimed size.
class StorageSource {
 public:
  virtual ~StorageSource() = default;
  /// Throws Error{corrupt} when there is no such storage or it has another size; `where` names the
  /// tensor.
  virtual Storage find(const StorageName& name, const std::string& where) = 0;
};

}  // namespace samestep
