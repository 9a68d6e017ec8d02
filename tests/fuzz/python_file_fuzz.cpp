// Any bytes as a file of torch, NumPy or pickle: torch ZIP files above all.
#include "checkpoint/formats/python_file.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run([&] { fuzz::stream_all(read_python_file(fuzz::slice_of(data, size))); });
}
