#include "tools/help.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>

namespace samestep {
namespace {

TEST(HelpTest, HasUsageExamplesAndExitStatus) {
  CLI::App app;
  int steps = 3;
  app.add_option("--steps", steps, "Steps")
      ->type_name("M")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  set_help(app, {"[OPTIONS] X", "  samestep try this\n", "it is so", nullptr, "nobody knows"});
  EXPECT_THAT(app.help(), ::testing::HasSubstr("USAGE\n  samestep [OPTIONS] X\n"));
  EXPECT_THAT(app.help(), ::testing::HasSubstr("\nOPTIONS\n"));
  EXPECT_THAT(app.help(), ::testing::HasSubstr("  --steps M (3) "));
  EXPECT_THAT(app.help(), ::testing::HasSubstr("EXAMPLES\n  samestep try this\n"));
  EXPECT_THAT(app.help(), ::testing::HasSubstr("EXIT STATUS\n  0  it is so\n  2  could not run"));
  EXPECT_THAT(app.help(), ::testing::HasSubstr("  3  nobody knows\n"));
  EXPECT_THAT(app.help(), ::testing::Not(::testing::HasSubstr("\n  1  ")));
}

TEST(HelpTest, AnArgumentGoesByWhatItStandsFor) {
  CLI::App app;
  std::string path;
  app.add_option("path", path, "A file")->type_name("FILE|FOLDER");
  set_help(app, {"FILE|FOLDER", "  samestep try this\n", "it is so"});
  EXPECT_THAT(app.help(), ::testing::HasSubstr("ARGUMENTS\n  FILE|FOLDER "));
}

TEST(HelpTest, TheFirstExampleIsOneCommand) {
  CLI::App app;
  set_help(app, {"X", "  samestep try this\n  samestep try that\n", "it is so"});
  EXPECT_EQ(first_example(app), "samestep try this");
  set_help(app, {"X", "  samestep try \\\n      this\n", "it is so"});
  EXPECT_EQ(first_example(app), "samestep try");
}

}  // namespace
}  // namespace samestep
