#include "capture/environment_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace samestep {
namespace {

TEST(EnvironmentNames, EachHasAReasonAndStandsOnce) {
  std::string_view before;
  for (const EnvironmentName& entry : environment_names()) {
    EXPECT_LT(before, entry.name);
    EXPECT_FALSE(std::string_view(entry.reason).empty()) << entry.name;
    const std::string_view name = entry.name;
    EXPECT_TRUE(name.find('*') == std::string_view::npos || name.find('*') == name.size() - 1)
        << name;
    before = entry.name;
  }
}

}  // namespace
}  // namespace samestep
