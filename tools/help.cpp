#include "tools/help.h"

#include <CLI/CLI.hpp>
#include <string>

namespace samestep {

void set_help(CLI::App& app, const ExitStatus& status, const char* examples) {
  const auto line = [](int code, const char* text) {
    return text == nullptr ? std::string() : "  " + std::to_string(code) + "  " + text + "\n";
  };
  const bool any = status.same != nullptr || status.diverged != nullptr;
  std::string footer = std::string("\nEXAMPLES\n") + examples + "\nEXIT STATUS\n";
  footer += line(0, any ? status.same : "same, or nothing is wrong");
  footer += line(1, any ? status.diverged : "diverged, refused, or damaged");
  footer += line(2, "could not run: one line on standard error says what, where and what to do");
  footer += line(3, any ? status.undecided : "undecided");
  footer.pop_back();  // CLI11 ends it
  app.footer(footer);
  app.set_help_flag("-h,--help", "Print this help");
  app.get_formatter()->column_width(30);
}

}  // namespace samestep
