// Any bytes as a capture rank record.
#include "schemas/json/capture_json.h"
#include "tests/fuzz/fuzz_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::round_trip(data, size, capture_rank_from_json, capture_rank_to_json);
}
