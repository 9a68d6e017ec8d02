#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "schemas/error.h"
#include "tools/help.h"
#include "tools/nearest.h"

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

// "samestep help audit" is "samestep audit --help".
void take_help(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "help") return;
  arguments.erase(arguments.begin());
  if (arguments.size() > 1) arguments.resize(1);
  arguments.emplace_back("--help");
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string in_quotes(const std::string& word) { return "\"" + word + "\""; }

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& words) {
  const std::string meant = nearest(word, words);
  return meant.empty() ? "" : "did you mean " + meant + "? ";
}

// CLI11 has no good word for a verb that is missing or unknown.
void check_verb(const CLI::App& app, const std::vector<std::string>& arguments) {
  const bool missing = arguments.empty();
  if (!missing && arguments.front().starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  if (!missing && std::find(names.begin(), names.end(), arguments.front()) != names.end()) return;
  const std::string say = "say one of " + joined(names, ", ") + "; see `samestep --help`";
  if (missing) throw Error(ErrorCode::usage, "a verb is needed", "command line", say);
  throw Error(ErrorCode::usage, in_quotes(arguments.front()) + " is no verb", "command line",
              did_you_mean(arguments.front(), names) + say);
}

const CLI::App& chosen(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : *verbs.front();
}

std::string see_help(const CLI::App& verb) {
  const bool is_verb = verb.get_parent() != nullptr;
  return "see `samestep " + (is_verb ? verb.get_name() + " " : "") + "--help`";
}

// Names an argument as the usage line does, and shows a line that has it.
Error missing_argument(const CLI::App& verb, const std::string& otherwise) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_required() && option->empty()) names.push_back(option->get_type_name());
  }
  if (names.empty()) return Error(ErrorCode::usage, otherwise, "command line", see_help(verb));
  return Error(ErrorCode::usage,
               joined(names, " and ") + (names.size() == 1 ? " is missing" : " are missing"),
               "command line", "give it as in `" + first_example(verb) + "`; " + see_help(verb));
}

// The first word that nothing was expected to be.
Error unexpected_word(const CLI::App& app, const CLI::App& verb, const std::string& otherwise) {
  const std::vector<std::string> rest = app.remaining(true);
  if (rest.empty()) return Error(ErrorCode::usage, otherwise, "command line", see_help(verb));
  const std::string& word = rest.front();
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const bool is_option = word.starts_with('-');
  if (std::find(names.begin(), names.end(), word.substr(0, word.find('='))) != names.end())
    return Error(ErrorCode::usage, in_quotes(word) + " stands before the verb", "command line",
                 "put it behind: samestep " + verb.get_name() + " " + word + " ...");
  const std::string of = verb.get_parent() == nullptr ? "samestep" : verb.get_name();
  return Error(
      ErrorCode::usage,
      in_quotes(word) + " is " + (is_option ? "no option of " : "one argument too many for ") + of,
      "command line",
      (is_option ? did_you_mean(word.substr(0, word.find('=')), names) : "") + see_help(verb));
}

/// An option that was given too often, or whose value is missing.
Error mismatched_option(const CLI::App& verb, const std::vector<std::string>& arguments,
                        const std::string& otherwise) {
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& plain : option->get_lnames()) {
      const std::string name = "--" + plain;
      const auto is_it = [&](const std::string& word) {
        return word == name || word.starts_with(name + "=");
      };
      const auto count = std::count_if(arguments.begin(), arguments.end(), is_it);
      const bool takes_value = option->get_expected_min() > 0;
      if (count > 1 && takes_value)
        return Error(ErrorCode::usage, "is given more than once", name,
                     "give it once; " + see_help(verb));
      if (count > 0 && takes_value && arguments.back() == name)
        return Error(ErrorCode::usage, "its value is missing: " + option->get_type_name(), name,
                     see_help(verb));
    }
  }
  return Error(ErrorCode::usage, otherwise, "command line", see_help(verb));
}

Result run_chosen(const std::vector<Verb>& verbs) {
  for (const Verb& verb : verbs) {
    if (verb.command->parsed()) return verb.run(this_screen());
  }
  throw Error(ErrorCode::usage, "a verb is needed", "command line", "see `samestep --help`");
}

}  // namespace

Result run_command_line(std::vector<std::string> arguments) {
  const bool is_audit = !arguments.empty() && arguments.front() == "audit";
  std::vector<std::string> command =
      is_audit ? take_command(arguments) : std::vector<std::string>{};
  take_help(arguments);

  CLI::App app(kPurpose, "samestep");
  app.set_version_flag("--version", std::string("samestep ") + SAMESTEP_VERSION,
                       "Print the version");
  app.require_subcommand(1);
  set_help(app, {"VERB [OPTIONS]", kMainExamples, "same, or nothing is wrong",
                 "diverged, refused, or damaged", "undecided"});
  const std::vector<Verb> verbs{add_inspect(app),
                                add_verify(app),
                                add_diff(app),
                                add_gate(app),
                                add_audit(app, std::move(command)),
                                add_prune(app),
                                add_schema(app)};
  check_verb(app, arguments);
  try {
    // CLI11 wants them so
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return {chosen(app).help(), Verdict::same};
  } catch (const CLI::CallForVersion& version) {
    return {std::string(version.what()) + "\n", Verdict::same};
  } catch (const CLI::RequiredError& error) {
    // A mistyped option is the likelier mistake, and CLI11 looks at it last.
    if (!app.remaining(true).empty())
      throw unexpected_word(app, chosen(app), one_line(error.what()));
    throw missing_argument(chosen(app), one_line(error.what()));
  } catch (const CLI::ArgumentMismatch& error) {
    throw mismatched_option(chosen(app), arguments, one_line(error.what()));
  } catch (const CLI::ExtrasError& error) {
    throw unexpected_word(app, chosen(app), one_line(error.what()));
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::usage, one_line(error.what()), "command line", see_help(chosen(app)));
  }
  return run_chosen(verbs);
}

}  // namespace samestep
