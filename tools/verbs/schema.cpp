#include <CLI/CLI.hpp>
#include <memory>

#include "schemas/error.h"
#include "schemas/schema_text.h"
#include "tools/help.h"
#include "tools/verb.h"

namespace samestep {
namespace {

constexpr const char* kExamples =
    "  samestep schema report.v1 > report.v1.schema.json\n"
    "  samestep schema --list\n";

struct Options {
  std::string name;
  bool list = false;
};

Result run(const Options& options) {
  if (options.name.empty() && !options.list) {
    throw Error(ErrorCode::usage, "a name is needed", "command line",
                "see `samestep schema --list`");
  }
  if (!options.list) return {schema_text(options.name), Verdict::same};
  std::string text;
  for (const std::string& name : schema_names()) text += name + "\n";
  return {text, Verdict::same};
}

}  // namespace

Verb add_schema(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("schema", "Print the JSON Schema of a document");
  CLI::Option* name =
      verb->add_option("name", options->name, "Such as report.v1")->type_name("NAME");
  CLI::Option* list = verb->add_flag("--list", options->list, "List the names");
  name->excludes(list);
  set_help(*verb, {"NAME | --list", kExamples, "the schema was printed"});
  return {verb, [options](const Screen&) { return run(*options); }};
}

}  // namespace samestep
