// Generators: states of Mersenne twisters as PyTorch, NumPy and Python keep them, made with the
// standard library's engine, which is the same one.
#pragma once

#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "resume_check/mersenne.h"
#include "tests/resume_check/fixture.h"

namespace samestep::testing {

/// The 624 words of the engine's block after `draws` 32-bit draws.
inline std::vector<std::uint32_t> block_after(std::uint32_t seed, int draws) {
  std::mt19937 engine(seed);
  engine.discard(static_cast<unsigned long long>(draws));
  std::stringstream text;
  text << engine;
  std::vector<std::uint32_t> words(kMersenneWords);
  for (auto& word : words) text >> word;
  return words;
}

/// Words given out of that block.
inline int given_after(int draws) { return draws == 0 ? 624 : (draws - 1) % 624 + 1; }

/// PyTorch's record. It keeps left = 625 - next, and (1, 0) before the first draw.
inline std::vector<std::byte> generator_after(std::uint32_t seed, int draws) {
  std::vector<std::byte> record(kTorchGeneratorBytes);
  const std::uint64_t seed_cell = seed;
  std::memcpy(record.data(), &seed_cell, 8);
  const auto words = block_after(seed, draws);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t cell = words[i];
    std::memcpy(record.data() + 24 + 8 * i, &cell, 8);
  }
  const std::uint64_t next = draws == 0 ? 0 : static_cast<std::uint64_t>(given_after(draws));
  const std::int32_t left = draws == 0 ? 1 : 625 - static_cast<std::int32_t>(next), seeded = 1;
  std::memcpy(record.data() + 8, &left, 4);
  std::memcpy(record.data() + 12, &seeded, 4);
  std::memcpy(record.data() + 16, &next, 8);
  return record;
}

/// A state with PyTorch's stream at `path`.
inline State torch_stream(const std::string& path, std::uint32_t seed, int draws) {
  return State().stream(path, octets(generator_after(seed, draws)));
}

/// A state with NumPy's legacy stream.
inline State numpy_stream(std::uint32_t seed, int draws) {
  return State()
      .stream("rng/numpy", elements(block_after(seed, draws), Dtype::uint32, {624}))
      .value("rng/numpy/pos", Value(std::int64_t{given_after(draws)}), "rng");
}

/// A state with Python's stream.
inline State python_stream(std::uint32_t seed, int draws) {
  const auto words = block_after(seed, draws);
  std::vector<std::int64_t> numbers(words.begin(), words.end());
  numbers.push_back(given_after(draws));
  return State().value("rng/python", Value(Numbers{numbers}), "rng");
}

}  // namespace samestep::testing
