#include "tests/support/test_data.h"

namespace samestep {

std::string test_data(const std::string& below) {
  return std::string(SAMESTEP_TEST_DATA) + "/" + below;
}

}  // namespace samestep
