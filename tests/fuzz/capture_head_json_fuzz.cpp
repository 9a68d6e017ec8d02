// Any bytes as a capture rank record of which the head alone is read: where the whole record is
// accepted, the head says the same.
#include "schemas/json/capture_json.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  return fuzz::run([&] {
    const auto head = capture_head_from_json(text, "head");
    const CaptureRank whole = capture_rank_from_json(text, "whole");
    if (!head || !whole.summary) return;
    if (head->summary != *whole.summary || head->boundary != whole.boundary ||
        head->completed != whole.completed || head->world_size != whole.world_size)
      __builtin_trap();
  });
}
