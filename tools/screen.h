// Screen: what the terminal can show.
#pragma once

#include <string>
#include <string_view>

namespace samestep {

/// Colour is for a terminal and only without NO_COLOR; progress needs a terminal on standard error.
struct Screen {
  bool colour = false;
  bool progress = false;

  enum class Ink : unsigned char { plain, bold, dim, red, green, yellow };
  /// `text` in that ink, or as it is where there is no colour.
  std::string paint(std::string_view text, Ink ink) const;
};

/// Looks at standard output, standard error and the environment.
Screen this_screen();

}  // namespace samestep
