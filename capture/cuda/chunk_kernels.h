// The kernels, to be launched. Internal to capture/cuda.
#pragma once

#include <cuda_runtime_api.h>

#include "capture/cuda/chunk_source.h"

namespace samestep {

/// What a kernel writes for a chunk.
struct ChunkOutput {
  uint64_t digest_low, digest_high, print_low, print_high;
};

/// All pointers are to the memory of the device.
struct ChunkLaunch {
  const DeviceTensor* tensors;  ///< by first_chunk
  uint32_t tensor_count;
  uint64_t chunk_count;
  ChunkOutput* outputs;  ///< one a chunk
  bool prints;           ///< fingerprints too; else their halves are 0
  bool wide;             ///< 256 threads a chunk instead of 4: for few chunks
};

/// One launch on `stream` for all chunks; does not synchronise. Nothing to do is no error.
cudaError_t launch_chunks(const ChunkLaunch& launch, cudaStream_t stream);

}  // namespace samestep
