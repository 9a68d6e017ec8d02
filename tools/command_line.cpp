#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "schemas/error.h"
#include "tools/help.h"

namespace samestep {
namespace {

// What stands after the first "--" belongs to the trainer and is taken away unread.
std::vector<std::string> take_command(std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes == arguments.end()) return {};
  std::vector<std::string> command(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return command;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string help_command(const CLI::App& app) {
  for (const CLI::App* verb : app.get_subcommands()) {
    return "samestep " + verb->get_name() + " --help";
  }
  return "samestep --help";
}

std::string names_of(const CLI::App& app) {
  std::string names;
  for (const CLI::App* verb : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + verb->get_name();
  }
  return names;
}

// CLI11 has no good word for a verb that is missing or unknown.
void check_verb(const CLI::App& app, const std::vector<std::string>& arguments) {
  const bool missing = arguments.empty();
  if (!missing && arguments.front().starts_with('-')) return;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (!missing && verb->get_name() == arguments.front()) return;
  }
  throw Error(ErrorCode::usage,
              missing ? "a verb is needed" : "\"" + arguments.front() + "\" is no verb",
              "command line", "say one of " + names_of(app) + "; see `samestep --help`");
}

const CLI::App& chosen(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : *verbs.front();
}

}  // namespace

Result run_command_line(std::vector<std::string> arguments) {
  const bool is_audit = !arguments.empty() && arguments.front() == "audit";
  std::vector<std::string> command =
      is_audit ? take_command(arguments) : std::vector<std::string>{};

  CLI::App app(kPurpose, "samestep");
  app.set_version_flag("--version", std::string("samestep ") + SAMESTEP_VERSION);
  app.require_subcommand(1);
  set_help(app, {"VERB [OPTIONS]", kMainExamples, "same, or nothing is wrong",
                 "diverged, refused, or damaged", "undecided"});
  const Verb verbs[] = {add_inspect(app),
                        add_verify(app),
                        add_diff(app),
                        add_gate(app),
                        add_audit(app, std::move(command)),
                        add_prune(app),
                        add_schema(app)};
  check_verb(app, arguments);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 wants them so
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return {chosen(app).help(), Verdict::same};
  } catch (const CLI::CallForVersion& version) {
    return {std::string(version.what()) + "\n", Verdict::same};
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::usage, one_line(error.what()), "command line",
                "see `" + help_command(app) + "`");
  }
  for (const Verb& verb : verbs) {
    if (verb.command->parsed()) return verb.run(this_screen());
  }
  throw Error(ErrorCode::usage, "a verb is needed", "command line", "see `samestep --help`");
}

}  // namespace samestep
