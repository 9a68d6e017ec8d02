#include "schemas/count_text.h"

namespace samestep {

std::string count_text(std::uint64_t count, const std::string& noun, const std::string& plural) {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text + noun;
  return text + (plural.empty() ? noun + "s" : plural);
}

}  // namespace samestep
