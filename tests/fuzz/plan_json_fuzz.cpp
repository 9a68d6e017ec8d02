// Any bytes as a plan record.
#include "schemas/json/plan_json.h"
#include "tests/fuzz/fuzz_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::round_trip(data, size, plan_from_json, plan_to_json);
}
