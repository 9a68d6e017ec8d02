#include "schemas/boundary.h"

namespace samestep {

std::string Boundary::text(bool with_rank) const {
  const std::string place = "step " + std::to_string(step) + ", " + phase;
  return with_rank ? "rank " + std::to_string(rank) + ", " + place : place;
}

}  // namespace samestep
