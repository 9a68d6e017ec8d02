// DeviceField -> DeviceTensor: the row of the table that kernels read.
#pragma once

#include "capture/cuda/chunk_source.h"
#include "capture/cuda/device_digest.h"

namespace samestep {

/// Dimensions that lie behind one another are merged, and none are left when all of it lies in one
/// piece. `first_chunk` is not set. Throws as DeviceDigest does.
DeviceTensor device_tensor(const DeviceField& field);

}  // namespace samestep
