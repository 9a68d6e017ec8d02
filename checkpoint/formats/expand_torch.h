// ExpandTorch: what the tensors, storages and small types of torch in a pickle are.
#pragma once

#include "checkpoint/formats/pickle_view.h"

namespace samestep {

/// Tensors (dense, quantised, sparse, nested, meta, parameters, subclasses), storages, sizes,
/// dtypes, devices, layouts, TorchScript's typed lists. False when `id` is something else. Throws
/// Error{corrupt} for a rebuild call whose arguments are not what torch writes, or whose tensor
/// does not fit its storage.
bool expand_torch(const PickleView& view, pickle::NodeId id, Expansion& out);

/// What a persistent id of torch.save names; `view` must hold a persistent node at `id`. Nothing
/// when it is no storage.
struct StorageId {
  StorageName name;
  Dtype dtype = Dtype::uint8;  ///< of its class; uint8 for an untyped one
  bool is_typed = false;
  std::string_view location;
};
std::optional<StorageId> storage_id(const PickleView& view, pickle::NodeId id);

}  // namespace samestep
