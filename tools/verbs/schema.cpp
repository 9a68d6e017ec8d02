#include <CLI/CLI.hpp>
#include <memory>

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
  verb->require_option(1);
  name->excludes(list);
  set_help(*verb, {"the schema was printed", nullptr, nullptr}, kExamples);
  return {verb, [options](const Screen&) { return run(*options); }};
}

}  // namespace samestep
