// Any text as the index of a folder of sound safetensors shards.
#include "checkpoint/formats/folder_reader.h"
#include "tests/fuzz/fuzz_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  static const fuzz::FuzzFolder folder("safetensors-sharded-index", "model.safetensors.index.json");
  return fuzz::run([&] { fuzz::stream_all(read_folder(folder.with(data, size), "")); });
}
