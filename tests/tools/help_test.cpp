#include "tools/help.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>

namespace samestep {
namespace {

TEST(HelpTest, HasExamplesAndExitStatus) {
  CLI::App app;
  set_help(app, {"it is so", nullptr, "nobody knows"}, "  samestep try this\n");
  EXPECT_THAT(app.help(), ::testing::HasSubstr("EXAMPLES\n  samestep try this\n"));
  EXPECT_THAT(app.help(), ::testing::HasSubstr("EXIT STATUS\n  0  it is so\n  2  could not run"));
  EXPECT_THAT(app.help(), ::testing::HasSubstr("  3  nobody knows\n"));
  EXPECT_THAT(app.help(), ::testing::Not(::testing::HasSubstr("\n  1  ")));
}

}  // namespace
}  // namespace samestep
