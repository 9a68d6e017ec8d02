#include "capture/torch/process_rank.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace samestep::libtorch {
namespace {

struct Launcher {
  const char *rank, *world_size;
};

// A shell in an allocation of Slurm has a rank as well: only a step tells how many there are.
constexpr std::array<Launcher, 3> kOthers{{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}};

std::optional<int> number_in(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  const std::string_view text(value);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

ProcessRank launched_as() {
  const auto rank = number_in("RANK"), world_size = number_in("WORLD_SIZE");
  if (rank || world_size) return {rank.value_or(0), world_size.value_or(1)};
  for (const Launcher& launcher : kOthers) {
    const auto number = number_in(launcher.rank), count = number_in(launcher.world_size);
    if (number && count) return {*number, *count};
  }
  return {};
}

}  // namespace

ProcessRank process_rank(int rank, int world_size) {
  const ProcessRank launched = launched_as();
  return {rank >= 0 ? rank : launched.rank, world_size > 0 ? world_size : launched.world_size};
}

}  // namespace samestep::libtorch
