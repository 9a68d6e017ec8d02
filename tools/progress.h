// Progress: one line on standard error that is written over again, for long work on a terminal.
#pragma once

#include <string>

#include "tools/screen.h"

namespace samestep {

/// Does nothing where there is no terminal. The line is wiped when it is destroyed.
class ProgressLine {
 public:
  explicit ProgressLine(const Screen& screen) : shown_(screen.progress) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  /// Shows `text`, cut to the terminal's width; the same text again costs nothing.
  void show(const std::string& text);

 private:
  bool shown_;
  std::string last_;
};

}  // namespace samestep
