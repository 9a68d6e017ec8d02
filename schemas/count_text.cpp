#include "schemas/count_text.h"

#include <algorithm>

namespace samestep {

std::string count_text(std::uint64_t count, const std::string& noun, const std::string& plural) {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text + noun;
  return text + (plural.empty() ? noun + "s" : plural);
}

std::string some_of(const std::vector<std::string>& names, std::size_t shown_max) {
  std::string text;
  const std::size_t shown = std::min(names.size(), shown_max);
  for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

}  // namespace samestep
