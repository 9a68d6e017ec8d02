#include "capture/cuda/chunk_kernels.h"
#include "capture/cuda/chunk_work.h"

namespace samestep {
namespace {

constexpr unsigned kChunk = 64 * 1024;
constexpr unsigned kWideThreads = 256, kNarrowThreads = 128;
constexpr unsigned kPairs = xxh3::kPairs;
constexpr unsigned kBlocksMax = kChunk / xxh3::kBlockBytes;
static_assert(kWideThreads == kBlocksMax * kPairs,
              "a wide chunk gives each thread one block's pair");

/// A chunk: its tensor, where in it, how long.
struct Task {
  const DeviceTensor* tensor;
  uint64_t begin;
  uint32_t size;

  __device__ Print print() const {
    const uint32_t item = tensor->item, shift = item >= 8 ? 3 : item >> 1;
    return {tensor->first_word + (begin >> shift), shift, {0, 0}};
  }
};

__device__ Task task_of(const ChunkLaunch& launch, uint64_t chunk) {
  uint32_t low = 0, high = launch.tensor_count;  // the last one that begins at or before `chunk`
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    (launch.tensors[middle].first_chunk <= chunk ? low : high) = middle;
  }
  const DeviceTensor* tensor = launch.tensors + low;
  const uint64_t begin = (chunk - tensor->first_chunk) * kChunk;
  const uint64_t rest = tensor->bytes - begin;
  return {tensor, begin, static_cast<uint32_t>(rest < kChunk ? rest : kChunk)};
}

/// Calls work(source) with the source that fits the tensor.
template <class Work>
__device__ void with_source(const Task& task, const Work& work) {
  const unsigned char* at = task.tensor->base + task.begin;
  if (task.tensor->dimensions > 0) {
    work(StridedSource(*task.tensor, task.begin));
  } else if (reinterpret_cast<uintptr_t>(at) % 16 == 0) {
    work(AlignedSource(at));
  } else {
    work(PlainSource(at));
  }
}

/// The sum over the four neighbours of a chunk; carries as `carry` says.
__device__ WideSum sum_of_four(WideSum value, bool carry) {
  const unsigned group = 0xFu << (threadIdx.x % 32 / kPairs * kPairs);
  for (int step = 1; step < static_cast<int>(kPairs); step *= 2) {
    const WideSum other = {__shfl_xor_sync(group, value.high, step),
                           __shfl_xor_sync(group, value.low, step)};
    const uint64_t low = value.low + other.low;
    value.high += other.high + (carry && low < other.low ? 1 : 0);
    value.low = low;
  }
  return value;
}

__device__ void write(ChunkOutput* output, const WideSum& digest, const WideSum& print) {
  *output = {digest.low, digest.high, print.low, print.high};
}

template <bool kPrint>
__global__ void __launch_bounds__(kNarrowThreads) four_threads_a_chunk(ChunkLaunch launch) {
  const uint64_t thread = uint64_t{blockIdx.x} * kNarrowThreads + threadIdx.x;
  const uint64_t chunk = thread / kPairs;
  if (chunk >= launch.chunk_count) return;
  const unsigned pair = thread % kPairs;
  const Task task = task_of(launch, chunk);
  with_source(task, [&](const auto& input) {
    Print print = task.print();
    WideSum digest;
    if (task.size <= xxh3::kShortBytesMax) {
      if (kPrint) print_tail(input.anywhere(), 0, task.size, pair, print);
      if (pair == 0) digest = xxh3::short_digest(input.anywhere(), task.size);
    } else {
      const xxh3::Pair sums = read_long<kPrint>(input, task.size, pair, print);
      digest = xxh3::merged(sum_of_four(xxh3::merge_part(sums, pair), false), task.size);
    }
    const WideSum total = kPrint ? sum_of_four(print.sum, true) : WideSum{0, 0};
    if (pair == 0) write(launch.outputs + chunk, digest, total);
  });
}

/// Sum of the block's mixes, in thread 0.
__device__ WideSum sum_of_block(WideSum value) {
  __shared__ WideSum groups[kWideThreads / kPairs];
  value = sum_of_four(value, true);
  if (threadIdx.x % kPairs == 0) groups[threadIdx.x / kPairs] = value;
  __syncthreads();
  WideSum total{0, 0};
  if (threadIdx.x == 0) {
    for (const WideSum& group : groups) add_to(total, group);
  }
  return total;
}

template <bool kPrint>
__global__ void __launch_bounds__(kWideThreads) many_threads_a_chunk(ChunkLaunch launch) {
  __shared__ xxh3::Pair blocks[kBlocksMax][kPairs];
  const uint64_t chunk = blockIdx.x;
  const unsigned pair = threadIdx.x % kPairs, block = threadIdx.x / kPairs;
  const Task task = task_of(launch, chunk);
  with_source(task, [&](const auto& input) {
    Print print = task.print();
    WideSum digest{0, 0};
    if (task.size <= xxh3::kShortBytesMax) {
      if (kPrint && block == 0) print_tail(input.anywhere(), 0, task.size, pair, print);
      if (threadIdx.x == 0) digest = xxh3::short_digest(input.anywhere(), task.size);
    } else {
      const BlockSecret secret = block_secret(pair);
      const unsigned whole = whole_blocks(task.size);
      xxh3::Pair alone = {0, 0};
      if (block < whole)
        read_block<kPrint>(input, uint64_t{block} * xxh3::kBlockBytes, pair, secret, alone, print);
      blocks[block][pair] = alone;
      __syncthreads();
      if (block == 0) {
        xxh3::Pair sums = xxh3::first_accumulators(pair);
        for (unsigned i = 0; i < whole; ++i) chain(sums, blocks[i][pair], secret);
        end_long<kPrint>(input.anywhere(), task.size, pair, sums, print);
        digest = xxh3::merged(sum_of_four(xxh3::merge_part(sums, pair), false), task.size);
      }
    }
    const WideSum total = kPrint ? sum_of_block(print.sum) : WideSum{0, 0};
    if (threadIdx.x == 0) write(launch.outputs + chunk, digest, total);
  });
}

}  // namespace

cudaError_t launch_chunks(const ChunkLaunch& launch, cudaStream_t stream) {
  if (launch.chunk_count == 0) return cudaSuccess;
  const uint64_t narrow = (launch.chunk_count * kPairs + kNarrowThreads - 1) / kNarrowThreads;
  const auto grid = static_cast<unsigned>(launch.wide ? launch.chunk_count : narrow);
  if (launch.wide) {
    if (launch.prints)
      many_threads_a_chunk<true><<<grid, kWideThreads, 0, stream>>>(launch);
    else
      many_threads_a_chunk<false><<<grid, kWideThreads, 0, stream>>>(launch);
  } else if (launch.prints) {
    four_threads_a_chunk<true><<<grid, kNarrowThreads, 0, stream>>>(launch);
  } else {
    four_threads_a_chunk<false><<<grid, kNarrowThreads, 0, stream>>>(launch);
  }
  return cudaGetLastError();
}

}  // namespace samestep
