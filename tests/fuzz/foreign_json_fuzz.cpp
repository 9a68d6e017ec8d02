// Any bytes as JSON of a foreign checkpoint, in both dialects. The strict one accepts nothing that
// the other refuses.
#include "checkpoint/containers/json.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

bool parses(const samestep::FileSlice& text, samestep::JsonDialect dialect) {
  try {
    samestep::parse_json(text, dialect);
    return true;
  } catch (const samestep::Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  const FileSlice text = fuzz::slice_of(data, size);
  if (parses(text, JsonDialect::strict) && !parses(text, JsonDialect::python)) __builtin_trap();
  return 0;
}
