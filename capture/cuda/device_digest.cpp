#include "capture/cuda/device_digest.h"

#include <cuda_runtime_api.h>

#include <cstring>

#include "capture/cuda/chunk_kernels.h"
#include "capture/cuda/device_tensor.h"
#include "checkpoint/hasher.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw Error(ErrorCode::failed, cudaGetErrorString(error), what);
}

struct FreeDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
struct FreeHost {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};
template <typename T>
using OnDevice = std::unique_ptr<T, FreeDevice>;
template <typename T>
using Pinned = std::unique_ptr<T, FreeHost>;

template <typename T>
OnDevice<T> on_device(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, std::max<std::size_t>(count, 1) * sizeof(T)), "cudaMalloc");
  return OnDevice<T>(static_cast<T*>(memory));
}

template <typename T>
Pinned<T> pinned(std::size_t count) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, std::max<std::size_t>(count, 1) * sizeof(T)), "cudaMallocHost");
  return Pinned<T>(static_cast<T*>(memory));
}

/// With fewer chunks than this a multiprocessor, four threads each (16 loads of 16 bytes in flight)
/// leave memory idle: 4.8 TB/s times 0.8 us of latency is some 30 KB on each.
constexpr std::uint64_t kChunksMin = 64;

bool needs_many_threads(std::uint64_t chunks) {
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  return chunks < kChunksMin * static_cast<std::uint64_t>(multiprocessors);
}

}  // namespace

std::string missing_device() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) return std::string("no CUDA device: ") + cudaGetErrorString(error);
  return count > 0 ? std::string() : "no CUDA device";
}

struct DeviceDigest::State {
  std::vector<DeviceField> fields;
  std::vector<DeviceTensor> tensors;
  ChunkLaunch launch{};
  OnDevice<DeviceTensor> table;
  OnDevice<ChunkOutput> outputs;
  Pinned<ChunkOutput> results;
  cudaEvent_t copied = nullptr;
  bool is_running = false;

  ~State() {
    if (copied == nullptr) return;
    if (is_running) cudaEventSynchronize(copied);
    cudaEventDestroy(copied);
  }
  std::size_t output_bytes() const { return launch.chunk_count * sizeof(ChunkOutput); }

  DeviceResult result(std::size_t field) const {
    const DeviceTensor& tensor = tensors[field];
    DeviceResult result;
    result.tree.bytes = tensor.bytes;
    const std::uint64_t chunks = (tensor.bytes + kChunkBytes - 1) / kChunkBytes;
    for (std::uint64_t i = 0; i < chunks; ++i) {
      const ChunkOutput& output = results.get()[tensor.first_chunk + i];
      result.tree.chunks.push_back({output.digest_high, output.digest_low});
      result.print += Fingerprint{output.print_high, output.print_low};
    }
    result.tree.root =
        root_of(fields[field].dtype, fields[field].shape, tensor.bytes, result.tree.chunks);
    return result;
  }
};

DeviceDigest::DeviceDigest(const std::vector<DeviceField>& fields, Prints prints)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.fields = fields;
  std::uint64_t chunks = 0;
  for (const DeviceField& field : fields) {
    state.tensors.push_back(device_tensor(field));
    state.tensors.back().first_chunk = chunks;
    chunks += (state.tensors.back().bytes + kChunkBytes - 1) / kChunkBytes;
  }
  state.table = on_device<DeviceTensor>(fields.size());
  state.outputs = on_device<ChunkOutput>(chunks);
  state.results = pinned<ChunkOutput>(chunks);
  check(cudaMemcpy(state.table.get(), state.tensors.data(), fields.size() * sizeof(DeviceTensor),
                   cudaMemcpyHostToDevice),
        "cudaMemcpy");
  check(cudaEventCreateWithFlags(&state.copied, cudaEventDisableTiming), "cudaEventCreate");
  state.launch = {state.table.get(),
                  static_cast<std::uint32_t>(fields.size()),
                  chunks,
                  state.outputs.get(),
                  prints == Prints::with,
                  needs_many_threads(chunks)};
}

DeviceDigest::~DeviceDigest() = default;

void DeviceDigest::start(CUstream_st* stream) {
  State& state = *state_;
  if (state.is_running) check(cudaEventSynchronize(state.copied), "cudaEventSynchronize");
  check(launch_chunks(state.launch, stream), "digest kernel");
  check(cudaMemcpyAsync(state.results.get(), state.outputs.get(), state.output_bytes(),
                        cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaEventRecord(state.copied, stream), "cudaEventRecord");
  state.is_running = true;
}

std::vector<DeviceResult> DeviceDigest::finish() {
  State& state = *state_;
  SAMESTEP_CHECK(state.is_running);
  check(cudaEventSynchronize(state.copied), "cudaEventSynchronize");
  state.is_running = false;
  std::vector<DeviceResult> results;
  results.reserve(state.fields.size());
  for (std::size_t i = 0; i < state.fields.size(); ++i) results.push_back(state.result(i));
  return results;
}

}  // namespace samestep
