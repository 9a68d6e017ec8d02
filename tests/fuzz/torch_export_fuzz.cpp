// Any text as the weights' configuration of a torch.export archive.
#include "checkpoint/formats/torch_export.h"
#include "tests/checkpoint/zip_writer.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  const std::string config(reinterpret_cast<const char*>(data), size);
  const std::string file =
      foreign::zip_of({foreign::stored_record("m/archive_format", "pt2"),
                       foreign::stored_record("m/data/weights/model_weights_config.json", config),
                       foreign::stored_record("m/data/weights/weight_0", std::string(24, 'A')),
                       foreign::stored_record("m/data/weights/weight_1", std::string(8, 'B'))});
  return fuzz::run([&] {
    fuzz::stream_all(read_torch_export(ZipArchive::open(
        fuzz::slice_of(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()))));
  });
}
