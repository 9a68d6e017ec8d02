// How fast a large tensor is digested, beside memcpy of the same bytes in the same run.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "checkpoint/hasher.h"

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

BENCHMARK(peer_memcpy)->UseRealTime();
BENCHMARK(digest_contiguous)->UseRealTime();
BENCHMARK(digest_one_thread)->UseRealTime();
BENCHMARK(digest_transposed)->UseRealTime();
BENCHMARK(digest_channels_last)->UseRealTime();

}  // namespace
}  // namespace samestep

BENCHMARK_MAIN();
