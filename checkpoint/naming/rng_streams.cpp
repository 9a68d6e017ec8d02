#include "checkpoint/naming/rng_streams.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "checkpoint/naming/component_groups.h"
#include "checkpoint/naming/ranks.h"
#include "checkpoint/naming/vocabulary.h"

namespace samestep {
namespace {

// A state under such a name belongs to somebody's own generator, not to the process.
constexpr std::array<std::string_view, 22> kPrivateWords{
    "generator", "generators", "gen",          "loader", "dataloader", "sampler",
    "noise",     "augment",    "augmentation", "mask",   "masks",      "shuffle",
    "dropout",   "tracker",    "private",      "worker", "workers",    "data",
    "dataset",   "feed",       "permutation",  "batches"};
constexpr std::array<std::string_view, 8> kRandomWords{"rng",   "rngs", "random", "seed",
                                                       "torch", "cuda", "numpy",  "generator"};

int trailing_device(const KeyNode& node) {
  if (node.key.kind == SourceKey::Kind::integer ||
      node.text().find_first_not_of("0123456789") == std::string::npos) {
    int device = 0;
    const auto [end, error] =
        std::from_chars(node.text().data(), node.text().data() + node.text().size(), device);
    if (error == std::errc() && end == node.text().data() + node.text().size()) return device;
  }
  return 0;
}

std::string joined_keys(const KeyNode& node) {
  std::string text;
  for (const KeyNode* at = &node; at != nullptr && at->parent != nullptr; at = at->parent) {
    text = text.empty() ? at->text() : at->text() + "." + text;
  }
  return text;
}

// Streams of all ranks in one list: its index is the rank.
std::optional<int> rank_in_list(const KeyNode& node) {
  const KeyNode* at = &node;
  while (at->parent != nullptr && at->key.kind != SourceKey::Kind::integer) at = at->parent;
  if (at->parent == nullptr || at->parent->children.size() < 2) return std::nullopt;
  return trailing_device(*at);
}

}  // namespace

bool speaks_of_randomness(std::string_view text) {
  const auto words = words_of(text);
  return std::any_of(kRandomWords.begin(), kRandomWords.end(),
                     [&](auto word) { return has_word(words, word); });
}

bool speaks_of_randomness(const KeyNode& node) {
  for (const KeyNode* at = &node; at->parent != nullptr; at = at->parent) {
    if (speaks_of_randomness(std::string_view(at->text()))) return true;
  }
  return speaks_of_randomness(stem_of(file_of(node).text()));
}

RngStream private_stream(const KeyNode& node) {
  RngStream stream;
  stream.rank = rank_of(node);
  stream.parts = {"generator." + joined_keys(node)};
  return stream;
}

RngStream rng_stream(const KeyNode& node, RngShape shape) {
  std::vector<std::string> words;
  for (const KeyNode* at = &node; at != nullptr; at = at->parent) {
    const auto more =
        words_of(at->parent == nullptr ? stem_of(at->text()) : std::string_view(at->text()));
    words.insert(words.end(), more.begin(), more.end());
  }
  const bool is_private = shape == RngShape::numpy_generator ||
                          std::any_of(kPrivateWords.begin(), kPrivateWords.end(),
                                      [&](auto word) { return has_word(words, word); });
  if (is_private) return private_stream(node);
  RngStream stream;
  stream.global = true;
  stream.rank = rank_in_keys(node);
  const bool cuda =
      shape == RngShape::torch_cuda || (shape == RngShape::torch_cpu && has_word(words, "cuda"));
  if (!stream.rank && !cuda) stream.rank = rank_in_list(node);
  if (!stream.rank) stream.rank = rank_of(node);
  if (cuda) {
    stream.parts = {"torch.cuda." + std::to_string(trailing_device(node))};
  } else if (shape == RngShape::torch_cpu) {
    stream.parts = {"torch.cpu"};
  } else {
    stream.parts = {shape == RngShape::python ? "python" : "numpy"};
  }
  return stream;
}

std::vector<std::string> stream_parts(RngShape shape, std::size_t position,
                                      const std::vector<std::string>& keys) {
  constexpr std::array<std::string_view, 3> kPython{"version", "", "gauss_next"};
  constexpr std::array<std::string_view, 5> kNumpy{"bit_generator", "", "pos", "has_gauss",
                                                   "cached_gaussian"};
  const auto at = [](std::string_view part) {
    return part.empty() ? std::vector<std::string>{} : std::vector{std::string(part)};
  };
  if (shape == RngShape::python && keys.size() == 1 && position < kPython.size()) {
    return at(kPython[position]);
  }
  if (shape == RngShape::numpy && keys.size() == 1 && position < kNumpy.size()) {
    return at(kNumpy[position]);
  }
  if (shape == RngShape::numpy_dict) {
    if (keys == std::vector<std::string>{"state", "key"}) return {};
    return at(keys.back() == "gauss" ? "cached_gaussian" : keys.back());
  }
  return keys;
}

}  // namespace samestep
