// Any bytes as a pickle: the machine, and the leaves of what it built.
#include "checkpoint/formats/pickle_leaves.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run(
      [&] { fuzz::stream_all(read_bare_pickle(fuzz::slice_of(data, size, "fuzz.pkl"))); });
}
