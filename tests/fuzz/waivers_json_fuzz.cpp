// Any bytes as a waivers record.
#include "schemas/json/waivers_json.h"
#include "tests/fuzz/fuzz_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::round_trip(data, size, waivers_from_json, waivers_to_json);
}
