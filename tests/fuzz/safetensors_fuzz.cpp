// Any bytes as a safetensors file.
#include "checkpoint/formats/safetensors.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run(
      [&] { fuzz::stream_all(read_safetensors(fuzz::slice_of(data, size)).document); });
}
