#include "capture/torch/process_rank.h"

#include <cstdlib>

namespace samestep::libtorch {
namespace {

int number_in(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::atoi(text) : otherwise;
}

}  // namespace

ProcessRank process_rank(int rank, int world_size) {
  return {rank >= 0 ? rank : number_in("RANK", 0),
          world_size > 0 ? world_size : number_in("WORLD_SIZE", 1)};
}

}  // namespace samestep::libtorch
