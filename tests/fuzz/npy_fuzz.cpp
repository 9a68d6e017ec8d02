// Any bytes as a .npy array or a .npz archive.
#include "checkpoint/formats/npy.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run([&] {
    const FileSlice file = fuzz::slice_of(data, size);
    fuzz::stream_all(ZipArchive::sniff(file.bytes) ? read_npz(ZipArchive::open(file))
                                                   : read_npy(file));
  });
}
