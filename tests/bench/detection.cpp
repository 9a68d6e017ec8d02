#include "detection.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "checkpoint/fingerprint.h"
#include "checkpoint/hasher.h"

namespace samestep::bench {
namespace {

class Subject {
 public:
  explicit Subject(std::size_t elements) : shape_(static_cast<std::int64_t>(elements)) {
    words_.resize(elements);
  }
  std::vector<std::uint32_t>& words() { return words_; }

  Digest digest() const { return digest_of(*bytes(), Dtype::float32, {&shape_, 1}).root; }
  Fingerprint print() const { return fingerprint_of(*bytes(), Dtype::float32, {&shape_, 1}); }

 private:
  FieldBytesPtr bytes() const {
    TensorView view;
    view.base = reinterpret_cast<const std::byte*>(words_.data());
    view.dtype = Dtype::float32;
    view.shape = {shape_};
    view.strides = {1};
    return tensor_bytes(view, nullptr);
  }
  std::vector<std::uint32_t> words_;
  std::int64_t shape_;
};

class Trial {
 public:
  /// Two chunks and a bit of normal numbers, a tenth of them zero.
  Trial() : subject_(40'000) {
    std::normal_distribution<float> normal;
    for (std::uint32_t& word : subject_.words()) {
      const float value = random_() % 10 == 0 ? 0.0F : normal(random_);
      std::memcpy(&word, &value, 4);
    }
    original_ = subject_.words();
    before_ = {subject_.digest(), subject_.print()};
  }

  std::vector<std::uint32_t>& words() { return subject_.words(); }
  std::size_t place() { return random_() % original_.size(); }
  std::mt19937& random() { return random_; }

  bool count(const char* kind, int trials, const std::function<void()>& damage) {
    int done = 0, by_digest = 0, by_print = 0;
    while (done < trials) {
      damage();
      if (words() == original_) continue;
      done += 1;
      by_digest += subject_.digest() != before_.first;
      by_print += subject_.print() != before_.second;
      words() = original_;
    }
    std::printf(
        "{\"name\": \"detect/%s\", \"ours\": %d, \"fingerprint\": %d, \"peer\": %d, "
        "\"ratio\": %g, \"within\": %s}\n",
        kind, by_digest, by_print, done, std::min(by_digest, by_print) * 1.0 / done,
        by_digest == done && by_print == done ? "true" : "false");
    return by_digest == done && by_print == done;
  }

 private:
  std::mt19937 random_{1};
  Subject subject_;
  std::vector<std::uint32_t> original_;
  std::pair<Digest, Fingerprint> before_;
};

}  // namespace

bool detect(int flips) {
  Trial trial;
  auto& words = trial.words();
  const int fewer = flips / 10;
  bool good =
      trial.count("flip", flips, [&] { words[trial.place()] ^= 1U << trial.random()() % 32; });
  good &=
      trial.count("swap", fewer, [&] { std::swap(words[trial.place()], words[trial.place()]); });
  good &= trial.count("shift", fewer, [&] {
    std::rotate(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(trial.place()),
                words.end());
  });
  good &= trial.count("permutation", fewer, [&] {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(trial.place() / 2);
    std::shuffle(first, first + 3 + trial.random()() % 100, trial.random());
  });
  good &= trial.count("sign_of_zero", fewer, [&] {
    for (std::size_t i = trial.place(); i < words.size(); ++i) {
      if ((words[i] & 0x7FFFFFFF) != 0) continue;
      words[i] ^= 0x80000000;
      return;
    }
  });
  return good;
}

}  // namespace samestep::bench
