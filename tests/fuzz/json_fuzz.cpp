// Any bytes as JSON. What the strict dialect accepts, Python's dialect accepts too.
#include <string_view>

#include "schemas/json/node.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

bool parses(std::string_view text, const samestep::JsonLimits& limits) {
  try {
    samestep::JsonNode::parse(text, "fuzz", limits);
    return true;
  } catch (const samestep::Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  samestep::JsonLimits python;
  python.duplicate_keys = python.non_finite = true;
  if (parses(text, {}) && !parses(text, python)) __builtin_trap();
  return 0;
}
