#include "checkpoint/formats/file_reader.h"

#include <gmock/gmock.h>

#include "../foreign.h"
#include "checkpoint/containers/mapped_file.h"
#include "schemas/error.h"

namespace samestep {
namespace {

TEST(FileReader, ReadsEachFormat) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"handed/torch-dtypes/ckpt.pt", "torch.save zip"},
      {"handed/safetensors-basic/model.safetensors", "safetensors"},
      {"handed/hf-trainer-v5/trainer_state.json", "JSON"},
  };
  for (const auto& [sample, format] : cases) {
    const Document document = read_file(map_file(foreign::sample(sample), "file"));
    EXPECT_EQ(document.format, format) << sample;
    EXPECT_FALSE(document.leaves.empty()) << sample;
  }
}

TEST(FileReader, SaysWhatItDoesNotRead) {
  EXPECT_THAT([] { read_file(foreign::slice_of("")); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("empty")));
  EXPECT_THAT([] { read_file(foreign::slice_of(std::string(257, 'a') + "ustar")); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("tar archive")));
  EXPECT_THROW(read_file(foreign::slice_of("plain words")), Error);
}

}  // namespace
}  // namespace samestep
