#include "tools/help.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace samestep {
namespace {

// The parts of a help text in capitals, and a usage line that holds the program's name and what
// CLI11 does not know of.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string arguments) : arguments_(std::move(arguments)) {
    column_width(30);
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    constexpr const char* kTitles[][2] = {{"\nPositionals:\n", "\nARGUMENTS\n"},
                                          {"\nOptions:\n", "\nOPTIONS\n"},
                                          {"\nSubcommands:\n", "\nVERBS\n"}};
    for (const auto& [plain, ours] : kTitles) {
      const std::size_t at = text.find(plain);
      if (at != text.npos) text.replace(at, std::string(plain).size(), ours);
    }
    return text;
  }

  std::string make_usage(const CLI::App* app, std::string) const override {
    std::string line = "samestep";
    if (app->get_parent() != nullptr) line += " " + app->get_name();
    return "\nUSAGE\n  " + line + " " + arguments_ + "\n";
  }

  // A positional argument goes by what it stands for, as in the usage line.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    return is_positional ? option->get_type_name()
                         : CLI::Formatter::make_option_name(option, is_positional);
  }

  // Without the names of checks, which say what the error message says.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (!option->nonpositional()) return {};
    const std::string type = option->get_type_name();
    std::string text = option->get_type_size() == 0 ? "" : " " + type.substr(0, type.find(':'));
    if (!option->get_default_str().empty()) text += " (" + option->get_default_str() + ")";
    return text;
  }

 private:
  std::string arguments_;
};

}  // namespace

std::string first_example(const CLI::App& app) {
  const std::string footer = app.get_footer();
  const std::size_t begin = footer.find("samestep");
  const std::string line = footer.substr(begin, footer.find('\n', begin) - begin);
  return line.substr(0, line.find_last_not_of(" \\") + 1);
}

void set_help(CLI::App& app, const HelpText& help) {
  const auto line = [](int code, const char* text) {
    return text == nullptr ? std::string() : "  " + std::to_string(code) + "  " + text + "\n";
  };
  std::string footer = std::string("EXAMPLES\n") + help.examples + "\nEXIT STATUS\n";
  footer += line(0, help.same) + line(1, help.diverged);
  footer += line(2, "could not run: one line on standard error says what, where and what to do");
  footer += line(3, help.undecided);
  footer.pop_back();  // CLI11 ends it
  app.footer(footer);
  app.formatter(std::make_shared<HelpFormatter>(help.arguments));
  app.set_help_flag("-h,--help", "Print this help");
}

}  // namespace samestep
