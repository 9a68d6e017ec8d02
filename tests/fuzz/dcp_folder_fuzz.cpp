// Any bytes as the index of a distributed checkpoint whose shard is sound: what is assembled from
// the places that it names.
#include "checkpoint/formats/dcp.h"
#include "tests/fuzz/fuzz_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  static const fuzz::FuzzFolder folder("dcp-single-rank", ".metadata");
  return fuzz::run([&] { fuzz::stream_all(read_dcp(folder.with(data, size), "")); });
}
