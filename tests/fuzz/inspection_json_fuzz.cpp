// Any bytes as an inspection. Long values are told by their count alone, so that it is only read.
#include <string_view>

#include "schemas/json/inspect_json.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  return fuzz::run([&] { inspection_to_json(inspection_from_json(text, "fuzz")); });
}
