// Any bytes as a report record.
#include "schemas/json/report_json.h"
#include "tests/fuzz/fuzz_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::round_trip(data, size, report_from_json, report_to_json);
}
