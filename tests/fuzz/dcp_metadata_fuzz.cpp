// Any bytes as the `.metadata` of a distributed checkpoint.
#include "checkpoint/formats/dcp_metadata.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run([&] {
    for (const DcpItem& item : read_dcp_metadata(fuzz::slice_of(data, size)).items) {
      for (const DcpChunk& chunk : item.chunks) {
        if (chunk.offsets.size() != item.size.size() || chunk.sizes.size() != item.size.size())
          __builtin_trap();
      }
    }
  });
}
