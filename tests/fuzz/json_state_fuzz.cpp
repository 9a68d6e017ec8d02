// Any bytes as a trainer's state in JSON.
#include "checkpoint/formats/json_state.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run([&] { fuzz::stream_all(read_json_state(fuzz::slice_of(data, size))); });
}
