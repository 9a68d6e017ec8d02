// Any text as the lines of a step log, in one whole frame of a file in memory.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "capture/step_log_reader.h"
#include "checkpoint/compressor.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  const int file = ::memfd_create("step_log", 0);
  if (file < 0) return 0;
  const auto frame = compress(fuzz::slice_of(data, size).bytes);
  const bool written =
      ::write(file, frame.data(), frame.size()) == static_cast<ssize_t>(frame.size());
  if (written) fuzz::run([&] { read_step_log("/proc/self/fd/" + std::to_string(file)); });
  ::close(file);
  return 0;
}
