#include "tools/screen.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace samestep {
namespace {

const char* code_of(Screen::Ink ink) {
  switch (ink) {
    case Screen::Ink::plain:
      return "";
    case Screen::Ink::bold:
      return "\x1b[1m";
    case Screen::Ink::dim:
      return "\x1b[2m";
    case Screen::Ink::red:
      return "\x1b[1;31m";
    case Screen::Ink::green:
      return "\x1b[1;32m";
    case Screen::Ink::yellow:
      return "\x1b[33m";
  }
  return "";
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

}  // namespace

std::string Screen::paint(std::string_view text, Ink ink) const {
  if (!colour || ink == Ink::plain || text.empty()) return std::string(text);
  return code_of(ink) + std::string(text) + "\x1b[0m";
}

Screen this_screen() {
  Screen screen;
  screen.colour = isatty(STDOUT_FILENO) == 1 && !is_set("NO_COLOR") && !is_dumb();
  screen.progress = isatty(STDERR_FILENO) == 1 && !is_dumb();
  return screen;
}

}  // namespace samestep
