#include "tools/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "schemas/error.h"

namespace samestep {
namespace {

constexpr const char* kWipe = "\r\x1b[K";

std::size_t columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 79;
  return size.ws_col - std::size_t{1};
}

// Progress is a comfort: a failed write changes nothing.
void put(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

ProgressLine::~ProgressLine() {
  if (!last_.empty()) put(kWipe);
}

void ProgressLine::show(const std::string& text) {
  if (!shown_ || text == last_) return;
  put(kWipe + printable(text, columns() - 3));
  last_ = text;
}

}  // namespace samestep
