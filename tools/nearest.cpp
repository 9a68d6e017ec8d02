#include "tools/nearest.h"

#include <algorithm>

namespace samestep {
namespace {

constexpr std::size_t kLettersMax = 64;

// Optimal string alignment, row by row.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& words) {
  if (word.size() > kLettersMax) return {};
  std::string best;
  std::size_t least = 3;
  for (const std::string& candidate : words) {
    if (word.size() >= 3 && candidate.starts_with(word)) return candidate;
    const std::size_t far = distance(word, candidate);
    if (far < least && far * 3 <= candidate.size()) {
      least = far;
      best = candidate;
    }
  }
  return best;
}

}  // namespace samestep
