#include "tools/command_line.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/schemas/json/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(CommandLineTest, HelpListsEachVerbThatIsThere) {
  const std::string help = run_command_line({"--help"}).output;
  for (const char* verb : {"inspect", "verify", "diff", "gate", "audit", "prune", "schema"}) {
    EXPECT_THAT(help, HasSubstr(std::string("\n  ") + verb)) << verb;
  }
  EXPECT_THAT(help, ::testing::Not(HasSubstr("explain")));
}

TEST(CommandLineTest, HelpOfEachVerbHasExamplesAndExitStatus) {
  for (const char* verb : {"inspect", "verify", "diff", "gate", "audit", "prune", "schema"}) {
    const Result result = run_command_line({verb, "--help"});
    EXPECT_THAT(result.output, HasSubstr(std::string("\nEXAMPLES\n  samestep ") + verb)) << verb;
    EXPECT_THAT(result.output, HasSubstr("\nEXIT STATUS\n  0  ")) << verb;
    EXPECT_THAT(result.output, HasSubstr("\n  2  could not run")) << verb;
    EXPECT_EQ(result.verdict, Verdict::same);
  }
}

TEST(CommandLineTest, VersionIsALine) {
  EXPECT_THAT(run_command_line({"--version"}).output,
              ::testing::MatchesRegex("samestep [0-9.]+\n"));
}

TEST(CommandLineTest, HelpIsAlsoAVerb) {
  EXPECT_EQ(run_command_line({"help"}).output, run_command_line({"--help"}).output);
  EXPECT_EQ(run_command_line({"help", "audit"}).output,
            run_command_line({"audit", "--help"}).output);
}

struct WrongLine {
  Words words;
  const char* says;
};

TEST(CommandLineTest, AWrongLineIsOneUsageErrorThatNamesTheHelp) {
  const WrongLine cases[] = {
      {{}, "a verb is needed; say one of inspect, verify"},
      {{"explain"}, "\"explain\" is no verb"},
      {{""}, "\"\" is no verb"},
      {{"--nonsense"}, "samestep --help"},
      {{"--nonsense"}, "\"--nonsense\" is no option of samestep"},
      {{"adit"}, "did you mean audit?"},
      {{"help", "adit"}, "did you mean audit?"},
      {{"inspect"}, "CHECKPOINT|CAPTURE is missing; give it as in `samestep inspect out/"},
      {{"inspect"}, "samestep inspect --help"},
      {{"inspect", ""}, "CHECKPOINT|CAPTURE: is empty; name a path"},
      {{"inspect", "--jsn"}, "\"--jsn\" is no option of inspect; did you mean --json?"},
      {{"inspect", "--jsn", "x"}, "\"--jsn\" is no option of inspect; did you mean --json?"},
      {{"inspect", "a", "b"}, "\"b\" is one argument too many for inspect"},
      {{"diff"}, "A and B are missing; give it as in `samestep diff out/"},
      {{"diff", "a"}, "B is missing"},
      {{"gate", "a"}, "CHECKPOINT is missing"},
      {{"inspect", "--digest", "md5", "x"}, "--digest"},
      {{"inspect", "a", "b"}, "samestep inspect --help"},
      {{"diff", "a"}, "samestep diff --help"},
      {{"verify", "--read-data-subset", "0", "x"}, "no share of the data"},
      {{"verify", "--read-data-subset", "101%", "x"}, "no share of the data"},
      {{"verify", "--read-data-subset", "ten", "x"}, "no share of the data"},
      {{"audit"}, "the training command is missing"},
      {{"audit", "--"}, "the training command is missing"},
      {{"audit", "python", "train.py"}, "put -- before the training command"},
      {{"audit", "--at", "-1", "--", "true"}, "--at: -1 is too small; give 0 or more"},
      {{"audit", "--at", "4.5", "--", "true"}, "--at: \"4.5\" is no whole number; give 0 or more"},
      {{"audit", "--at", "", "--", "true"}, "--at: \"\" is no whole number"},
      {{"audit", "--steps", "0", "--", "true"}, "--steps: 0 is too small; give 1 or more"},
      {{"audit", "--steps", "x", "--", "true"}, "--steps: \"x\" is no whole number"},
      {{"audit", "--controls", "-1", "--", "true"}, "--controls: -1 is too small"},
      {{"audit", "--controls", "1001", "--", "true"}, "--controls: 1001 is too large"},
      {{"audit", "--timeout", "0", "--", "true"}, "--timeout: \"0\" is no time limit"},
      {{"audit", "--resume", " ", "--", "true"}, "--resume: is empty"},
      {{"audit", "--resume", "", "--", "true"}, "--resume: is empty"},
      {{"audit", "--checkpoint", "", "--", "true"}, "--checkpoint: is empty"},
      {{"audit", "--checkpoint", "/tmp/x", "--", "true"}, "relative to {out}"},
      {{"audit", "--checkpoint", "../x", "--", "true"}, "relative to {out}"},
      {{"audit", "--checkpoint", "{out}/../x", "--", "true"}, "relative to {out}"},
      {{"audit", "--work", "", "--", "true"}, "--work: is empty"},
      {{"verify", "--html", "", "x"}, "--html: is empty"},
      {{"verify", "--junit", "", "x"}, "--junit: is empty"},
      {{"audit", "--resume", "'a", "--", "true"}, "a single quote never ends"},
      {{"schema"}, "see `samestep schema --list`"},
      {{"schema", "--list", "report.v1"}, "samestep schema --help"},
  };
  for (const WrongLine& c : cases) {
    EXPECT_ERROR(run_command_line(c.words), usage, c.says);
    try {
      run_command_line(c.words);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

TEST(CommandLineTest, WhatIsWrongWithAnOptionIsSaidInOurWords) {
  const WrongLine cases[] = {
      {{"audit", "--at", "4", "--at=5", "--", "true"},
       "--at: is given more than once; give it once"},
      {{"verify", "x", "--html"}, "--html: its value is missing: FILE; see"},
      {{"--json", "verify", "x"},
       "\"--json\" stands before the verb; put it behind: samestep verify"},
      {{"prune", "--keep-last", "99999999999999999999", "x"}, "is too large"},
      {{"prune", "--keep-last", "two", "x"}, "--keep-last: \"two\" is no whole number"},
  };
  for (const WrongLine& c : cases) EXPECT_ERROR(run_command_line(c.words), usage, c.says);
}

TEST(CommandLineTest, SchemaPrintsWhatItIsAskedFor) {
  EXPECT_THAT(run_command_line({"schema", "report.v1"}).output, HasSubstr("\"report.v1\""));
  EXPECT_THAT(run_command_line({"schema", "--list"}).output, HasSubstr("inspect.v1\n"));
  EXPECT_ERROR(run_command_line({"schema", "x"}), not_found, "choose one of capture.v1");
}

TEST(CommandLineTest, WhatIsNotThereIsSaid) {
  for (const char* verb : {"inspect", "verify"}) {
    EXPECT_ERROR(run_command_line({verb, "no/such/path"}), not_found, "no/such/path");
  }
  EXPECT_ERROR(run_command_line({"diff", "no/such/path", "b"}), not_found, "no/such/path");
  EXPECT_ERROR(run_command_line({"gate", "no/such/path", "b"}), usage, "no capture of samestep");
}

TEST(CommandLineTest, OfTwoSidesThatCannotBeReadTheGateTellsTheCapture) {
  const TemporaryFolder run;
  std::filesystem::create_directories(run / ".samestep/captures");
  EXPECT_ERROR(run_command_line({"gate", run.path(), "no/such/path"}), not_found,
               "no capture in this run");
}

TEST(CommandLineTest, TheWorkFolderOfAnAuditIsNoCapture) {
  const TemporaryFolder work;
  const std::string run = work / "uninterrupted/run";
  std::filesystem::create_directories(run + "/.samestep/captures/4");
  for (const char* verb : {"inspect", "verify"})
    EXPECT_ERROR(run_command_line({verb, work.path()}), usage, "name one of them, e.g. " + run);
  EXPECT_ERROR(run_command_line({"gate", work.path(), "b"}), usage, "e.g. " + run);
}

}  // namespace
}  // namespace samestep
