// Any bytes as Zstandard frames of a step log.
#include "checkpoint/compressor.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run([&] { decompress_frames(fuzz::slice_of(data, size).bytes, "fuzz", 1 << 24); });
}
