// Any bytes as a blob of a pack: its index, and a frame of planes (which no checksum guards).
#include "checkpoint/blob_codec.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  if (size < 4) return 0;
  const auto bytes = fuzz::slice_of(data, size).bytes;
  const std::size_t length = (data[0] | data[1] << 8) + 1U;
  fuzz::run([&] { BlobIndex::read(bytes.subspan(2), length, "fuzz"); });
  return fuzz::run([&] {
    const auto frame = bytes.subspan(3);
    if (frame.size() > kChunkBytes) return;
    std::vector<std::byte> chunk(length);
    constexpr ChunkForm kForms[] = {ChunkForm::planes, ChunkForm::turned, ChunkForm::levelled};
    const ChunkForm kind = kForms[(data[2] >> 2) % 3];
    const ChunkFrame form{kind, static_cast<std::uint32_t>(frame.size())};
    ChunkDecoder().decode(form, std::size_t{1} << (data[2] & 3), frame, chunk, "fuzz");
  });
}
