#include "checkpoint/formats/layouts/ranks.h"

#include <algorithm>
#include <charconv>

namespace samestep {
namespace {

constexpr int kRanksMax = 1 << 20;

}  // namespace

std::optional<int> number_in(std::string_view name, std::string_view before,
                             std::string_view after) noexcept {
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) ||
      !name.ends_with(after))
    return std::nullopt;
  const std::string_view digits =
      name.substr(before.size(), name.size() - before.size() - after.size());
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0 ||
      number > kRanksMax)
    return std::nullopt;
  return number;
}

std::vector<int> missing_numbers(const std::set<int>& numbers, int expected) {
  const int end =
      std::max(numbers.empty() ? 0 : *numbers.rbegin() + 1, std::min(expected, kRanksMax));
  std::vector<int> missing;
  for (int number = 0; number < end; ++number)
    if (!numbers.contains(number)) missing.push_back(number);
  return missing;
}

}  // namespace samestep
