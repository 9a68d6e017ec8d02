#include "capture/run_folder.h"

#include <charconv>
#include <limits>

namespace samestep {
namespace {

/// The number between `before` and `after`; nothing when `name` is not made so.
std::optional<std::int64_t> number_in(std::string_view name, std::string_view before,
                                      std::string_view after) noexcept {
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  if (name.size() <= before.size() + after.size()) return std::nullopt;
  name = name.substr(before.size(), name.size() - before.size() - after.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<int> rank_in(std::string_view name, std::string_view after) noexcept {
  const auto rank = number_in(name, "rank-", after);
  if (!rank || *rank > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*rank);
}

}  // namespace

std::optional<std::int64_t> step_of_folder(std::string_view name) noexcept {
  return number_in(name, "", "");
}

std::optional<int> rank_of_manifest(std::string_view name) noexcept {
  return rank_in(name, ".json");
}

std::optional<int> rank_of_log(std::string_view name) noexcept {
  return rank_in(name, ".jsonl.zst");
}

}  // namespace samestep
