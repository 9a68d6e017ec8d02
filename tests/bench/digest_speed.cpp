// digest_speed [--mib N] [--rounds N]: digests and fingerprints of a training state, beside a plain
// read and SHA-256 of the same bytes, in the same run. One JSON line a measure; ends with 1 when a
// measure misses its bar or a result is wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>

#include "checkpoint/fingerprint.h"
#include "checkpoint/hasher.h"
#include "checkpoint/hasher_batch.h"
#include "checkpoint/hasher_kernel.h"
#include "detection.h"
#include "plain_read.h"
#include "rounds.h"

namespace samestep::bench {
namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

/// Tensors as an AdamW state of a transformer has them: a third large, a third small, a third tiny.
class State {
 public:
  explicit State(std::size_t mib) {
    constexpr std::int64_t kSizes[] = {1'420'000, 66'048, 512};
    constexpr std::size_t kGroups = 183;
    const double scale = static_cast<double>(mib << 20) / (kGroups * 4.0 * 1'486'560);
    for (std::size_t i = 0; i < 3 * kGroups; ++i) {
      const auto elements = static_cast<std::int64_t>(static_cast<double>(kSizes[i % 3]) * scale);
      tensors_.emplace_back(static_cast<std::size_t>(std::max<std::int64_t>(elements, 1)));
      shapes_.push_back(static_cast<std::int64_t>(tensors_.back().size()));
    }
    std::uint64_t state = 1;
    for (auto& tensor : tensors_) {
      for (float& value : tensor) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 1e-9F;
      }
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      spans_.push_back(std::as_bytes(std::span(tensors_[i])));
      jobs_.push_back({spans_.back(), nullptr, Dtype::float32, {&shapes_[i], 1}});
      bytes_ += spans_.back().size();
    }
  }

  std::vector<float>& tensor(std::size_t i) { return tensors_[i]; }
  const std::vector<DigestJob>& jobs() const { return jobs_; }
  const std::vector<std::span<const std::byte>>& spans() const { return spans_; }
  double gigabytes() const { return static_cast<double>(bytes_) * 1e-9; }
  FieldBytesPtr field(std::size_t i) const {
    TensorView view;
    view.base = spans_[i].data();
    view.dtype = Dtype::float32;
    view.shape = {shapes_[i]};
    view.strides = {1};
    return tensor_bytes(view, nullptr);
  }

 private:
  std::deque<std::vector<float>> tensors_;
  std::deque<std::int64_t> shapes_;
  std::vector<std::span<const std::byte>> spans_;
  std::vector<DigestJob> jobs_;
  std::size_t bytes_ = 0;
};

void check_a_flipped_bit_is_named(State& state) {
  const auto before = roots_of(state.jobs());
  require(before == roots_of(state.jobs()), "equal states have equal digests");
  const std::size_t which = state.jobs().size() / 2;
  std::uint32_t word;
  std::memcpy(&word, &state.tensor(which).back(), 4);
  word ^= 1;
  std::memcpy(&state.tensor(which).back(), &word, 4);
  const auto after = roots_of(state.jobs());
  word ^= 1;
  std::memcpy(&state.tensor(which).back(), &word, 4);
  for (std::size_t i = 0; i < before.size(); ++i)
    require((before[i] != after[i]) == (i == which),
            "the flipped bit's tensor, and no other, differs");
}

bool measure_state(State& state, int rounds) {
  check_a_flipped_bit_is_named(state);
  const PeakMemory peak;
  std::vector<Digest> roots;
  std::uint64_t sink = 0;
  const std::vector<Contestant> contestants = {
      {"digest", [&] { roots = roots_of(state.jobs()); }},
      {"read", [&] { sink ^= plain_read(state.spans(), 0); }},
      {"read ahead", [&] { sink ^= plain_read(state.spans(), 2048); }},
  };
  const Rounds result = run_rounds(contestants, rounds);
  const double ours = state.gigabytes() / result.timings[0].wall_s;
  const double peer =
      state.gigabytes() / std::min(result.timings[1].wall_s, result.timings[2].wall_s);
  require(sink != 1, "the read is not left out");
  return print({"digest/read", "GB/s", ours, peer, ours / peer, 0.9, true, result.timings[0],
                peak.mib(), result.counted, result.disturbed});
}

bool measure_others(State& state, int rounds) {
  std::vector<std::string> sums(state.jobs().size());
  Fingerprint total;
  const std::vector<Contestant> contestants = {
      {"digest", [&] { roots_of(state.jobs()); }},
      {"sha256",
       [&] {
         for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sha256_of(*state.field(i));
       }},
      {"fingerprint",
       [&] {
         total = {};
         for (std::size_t i = 0; i < sums.size(); ++i)
           total += fingerprint_of(*state.field(i), Dtype::float32, state.jobs()[i].shape);
       }},
  };
  const Rounds result = run_rounds(contestants, rounds);
  const double digest = state.gigabytes() / result.timings[0].wall_s,
               sha256 = state.gigabytes() / result.timings[1].wall_s,
               fingerprint = state.gigabytes() / result.timings[2].wall_s;
  const bool good = print({"digest/sha256", "GB/s", digest, sha256, digest / sha256, 12, true,
                           result.timings[0], 0, result.counted, result.disturbed});
  print({"fingerprint/digest", "GB/s", fingerprint, digest, fingerprint / digest, 0, true,
         result.timings[2], 0, result.counted, result.disturbed});
  return good;
}

bool measure_small_tensors(int rounds) {
  constexpr std::size_t kTensors = 100'000, kBytes = 1024;
  std::mt19937_64 random(1);
  std::vector<std::vector<std::byte>> tensors(kTensors, std::vector<std::byte>(kBytes));
  std::vector<std::byte> one(kTensors * kBytes);
  const std::int64_t shape[] = {kBytes};
  const std::int64_t whole[] = {kTensors * kBytes};
  std::vector<DigestJob> jobs;
  for (std::size_t i = 0; i < kTensors; ++i) {
    for (std::byte& byte : tensors[i]) byte = static_cast<std::byte>(random());
    std::memcpy(&one[i * kBytes], tensors[i].data(), kBytes);
    jobs.push_back({tensors[i], nullptr, Dtype::uint8, shape});
  }
  const DigestJob single{one, nullptr, Dtype::uint8, whole};
  std::vector<Digest> roots;
  const PeakMemory peak;
  const Rounds result = run_rounds({{"many", [&] { roots = roots_of(jobs); }},
                                    {"one",
                                     [&] {
                                       roots_of({&single, 1});
                                     }}},
                                   rounds);
  Hasher hasher;
  hasher.update(tensors[777]);
  require(hasher.finish(Dtype::uint8, shape).root == roots[777], "a small tensor's digest");
  const double ours = result.timings[0].wall_s, peer = result.timings[1].wall_s;
  return print({"digest_small_tensors", "s", ours, peer, ours / peer, 3, false, result.timings[0],
                peak.mib(), result.counted, result.disturbed});
}

int run(std::size_t mib, int rounds) {
  bool good = true;
  {
    State state(mib);
    std::fprintf(stderr, "kernel: %s\n", hash_kernel(std::size_t{1} << 30).name);
    good &= measure_state(state, rounds);
    good &= measure_others(state, rounds);
  }
  good &= measure_small_tensors(rounds);
  good &= detect(100'000);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace samestep::bench

int main(int argc, char** argv) {
  std::size_t mib = 1039;
  int rounds = 9;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--mib") == 0) mib = std::strtoul(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--rounds") == 0) rounds = std::atoi(argv[i + 1]);
  }
  return samestep::bench::run(mib, rounds);
}
