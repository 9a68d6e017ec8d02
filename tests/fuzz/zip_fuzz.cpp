// Any bytes as a ZIP file: the index, and the stored and inflated bytes of each record.
#include "checkpoint/containers/zip.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run([&] {
    const ZipArchive archive = ZipArchive::open(fuzz::slice_of(data, size));
    for (const ZipEntry& entry : archive.entries()) {
      std::string mismatch;
      unsigned sum = 0;
      for (const std::byte byte : archive.content(entry, 1 << 20, &mismatch).bytes) {
        sum += std::to_integer<unsigned>(byte);
      }
      if (archive.find(entry.name) != &entry || sum == 0xFFFFFFFFu) __builtin_trap();
    }
  });
}
