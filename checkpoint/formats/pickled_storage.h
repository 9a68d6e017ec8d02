// PickledStorage: the storage of a tensor that was pickled without torch.save (as pickle.dumps
// does).
#pragma once

#include <optional>

#include "checkpoint/formats/pickle_view.h"
#include "checkpoint/formats/torch_legacy.h"

namespace samestep {

/// Plain pickles keep each storage as torch.storage._load_from_bytes(<a torch.save of that storage
/// alone>). Nothing when `id` is no such call, or its bytes hold something else. Whether two such
/// storages shared memory is not written down: Storage::number stays -1. Throws Error{corrupt} for
/// bytes that are damaged, Error{limit} past the view's budget.
std::optional<LoneStorage> pickled_storage(const PickleView& view, pickle::NodeId id);

}  // namespace samestep
