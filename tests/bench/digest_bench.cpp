// How fast a large tensor is digested, beside memcpy of the same bytes in the same run.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "checkpoint/fingerprint.h"
#include "checkpoint/hasher.h"
#include "checkpoint/hasher_kernel.h"

namespace samestep {
namespace {

constexpr std::int64_t kSide = 8192;  // 256 MiB of float32
constexpr std::int64_t kBytes = kSide * kSide * 4;

const std::vector<float>& floats() {
  static const std::vector<float> values = [] {
    std::vector<float> filled(static_cast<std::size_t>(kSide * kSide));
    std::uint32_t state = 1;
    for (float& value : filled) value = static_cast<float>(state = state * 1664525U + 1013904223U);
    return filled;
  }();
  return values;
}

FieldBytesPtr tensor(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  TensorView view;
  view.base = reinterpret_cast<const std::byte*>(floats().data());
  view.dtype = Dtype::float32;
  view.shape = std::move(shape);
  view.strides = std::move(strides);
  return tensor_bytes(std::move(view), nullptr);
}

void digest(benchmark::State& state, const FieldBytesPtr& bytes) {
  for (auto _ : state) benchmark::DoNotOptimize(digest_of(*bytes, Dtype::float32, {}).root);
  state.SetBytesProcessed(state.iterations() * kBytes);
}

void peer_memcpy(benchmark::State& state) {
  std::vector<float> target(floats().size());
  for (auto _ : state) {
    std::memcpy(target.data(), floats().data(), static_cast<std::size_t>(kBytes));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}

void digest_contiguous(benchmark::State& state) {
  digest(state, tensor({kSide, kSide}, {kSide, 1}));
}
void digest_transposed(benchmark::State& state) {
  digest(state, tensor({kSide, kSide}, {1, kSide}));
}
void digest_channels_last(benchmark::State& state) {
  digest(state, tensor({64, 64, 128, 128}, {128 * 128 * 64, 1, 128 * 64, 64}));
}
void digest_one_thread(benchmark::State& state) {
  const auto bytes = tensor({kSide, kSide}, {kSide, 1})->contiguous();
  for (auto _ : state) {
    Hasher hasher;
    hasher.update(bytes);
    benchmark::DoNotOptimize(hasher.finish(Dtype::float32, {}).root);
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}

/// One thread in a chunk that stays in the cache: the arithmetic alone.
void digest_in_cache(benchmark::State& state, const HashKernel& kernel) {
  std::uint64_t halves[2];
  const float* const chunk = floats().data();
  for (auto _ : state) {
    kernel.hash(chunk, kChunkBytes, halves);
    benchmark::DoNotOptimize(halves);
  }
  state.SetBytesProcessed(state.iterations() * kChunkBytes);
}
void fingerprint_contiguous(benchmark::State& state, Dtype dtype) {
  TensorView view;
  view.base = reinterpret_cast<const std::byte*>(floats().data());
  view.dtype = dtype;
  view.shape = {kBytes / element_bytes(dtype)};
  view.strides = {1};
  const std::vector<std::int64_t> shape = view.shape;
  const auto bytes = tensor_bytes(std::move(view), nullptr);
  for (auto _ : state) benchmark::DoNotOptimize(fingerprint_of(*bytes, dtype, shape));
  state.SetBytesProcessed(state.iterations() * kBytes);
}

[[maybe_unused]] const bool registered = [] {
  const HashKernels kernels = hash_kernels();
  for (unsigned i = 0; i < kernels.count; ++i) {
    benchmark::RegisterBenchmark((std::string("digest_in_cache/") + kernels.list[i]->name).c_str(),
                                 digest_in_cache, *kernels.list[i]);
  }
  return true;
}();

BENCHMARK_CAPTURE(fingerprint_contiguous, float32, Dtype::float32)->UseRealTime();
BENCHMARK_CAPTURE(fingerprint_contiguous, bfloat16, Dtype::bfloat16)->UseRealTime();
BENCHMARK(peer_memcpy)->UseRealTime();
BENCHMARK(digest_contiguous)->UseRealTime();
BENCHMARK(digest_one_thread)->UseRealTime();
BENCHMARK(digest_transposed)->UseRealTime();
BENCHMARK(digest_channels_last)->UseRealTime();

}  // namespace
}  // namespace samestep

BENCHMARK_MAIN();
