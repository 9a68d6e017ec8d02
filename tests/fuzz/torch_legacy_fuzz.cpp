// Any bytes as a non-ZIP torch.save file.
#include "checkpoint/formats/torch_legacy.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run([&] { fuzz::stream_all(read_torch_legacy(fuzz::slice_of(data, size))); });
}
