#include "checkpoint/naming/ranks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace samestep {
namespace {

constexpr std::size_t kNameBytesMax = 256;

// Names that carry a rank as their trailing number ("torch_1"): things that each rank has one of.
constexpr std::array<std::string_view, 11> kPerRank{"dl",     "torch",     "numpy",        "np",
                                                    "python", "py",        "cuda",         "random",
                                                    "rng",    "rng_state", "random_states"};

std::optional<int> number_at(std::string_view text, std::size_t& position) {
  int value = 0;
  const char* const begin = text.data() + std::min(position, text.size());
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  position = static_cast<std::size_t>(end - text.data());
  return value;
}

std::optional<int> after_rank_word(std::string_view name) {
  const auto word = name.find("rank");
  if (word == std::string_view::npos) return std::nullopt;
  std::size_t position = word + 4;
  if (position < name.size() && (name[position] == '_' || name[position] == '-')) ++position;
  return number_at(name, position);
}

std::optional<std::vector<int>> dotted_numbers(std::string_view text, std::size_t& position) {
  std::vector<int> numbers;
  for (;;) {
    const auto number = number_at(text, position);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (position >= text.size() || text[position] != '.') return numbers;
    ++position;
  }
}

// Megatron's sharded objects: "<key>/shard_<offsets>_<sizes>", numbers joined by dots.
std::optional<int> shard_index(std::string_view name) {
  const auto word = name.find("/shard_");
  if (word == std::string_view::npos) return std::nullopt;
  std::size_t position = word + 7;
  const auto offsets = dotted_numbers(name, position);
  if (!offsets || position >= name.size() || name[position] != '_') return std::nullopt;
  ++position;
  const auto sizes = dotted_numbers(name, position);
  if (!sizes || sizes->size() != offsets->size()) return std::nullopt;
  std::int64_t index = 0;
  for (std::size_t i = 0; i < sizes->size(); ++i) index = index * (*sizes)[i] + (*offsets)[i];
  if (index < 0 || index > 1'000'000) return std::nullopt;
  return static_cast<int>(index);
}

std::optional<int> trailing_number(std::string_view name) {
  const auto line = name.rfind('_');
  if (line == std::string_view::npos) return std::nullopt;
  if (std::find(kPerRank.begin(), kPerRank.end(), name.substr(0, line)) == kPerRank.end())
    return std::nullopt;
  std::size_t position = line + 1;
  const auto number = number_at(name, position);
  return position == name.size() ? number : std::nullopt;
}

}  // namespace

std::string_view stem_of(std::string_view file) {
  const auto slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  const auto dot = file.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? file : file.substr(0, dot);
}

std::optional<int> rank_in_name(std::string_view name) {
  if (name.size() > kNameBytesMax) return std::nullopt;
  if (const auto rank = shard_index(name)) return rank;
  if (const auto rank = after_rank_word(name)) return rank;
  return trailing_number(name);
}

std::optional<int> rank_in_keys(const KeyNode& node) {
  for (const KeyNode* at = &node; at->parent != nullptr; at = at->parent) {
    if (at->key.kind == SourceKey::Kind::integer) continue;
    if (const auto rank = rank_in_name(at->text())) return rank;
  }
  return std::nullopt;
}

std::optional<int> rank_of(const KeyNode& node) {
  if (const auto rank = rank_in_keys(node)) return rank;
  const KeyNode* file = &node;
  while (file->parent != nullptr) file = file->parent;
  return rank_in_name(stem_of(file->text()));
}

}  // namespace samestep
