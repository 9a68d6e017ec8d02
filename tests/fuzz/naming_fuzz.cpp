// Any bytes as a pickle, and the canonical names of its leaves: each leaf has one, no two have the
// same.
#include <set>
#include <string>
#include <utility>

#include "checkpoint/formats/pickle_leaves.h"
#include "checkpoint/naming/name.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  constexpr std::size_t kLeavesMax = 2000;
  Document document;
  fuzz::run([&] { document = read_bare_pickle(fuzz::slice_of(data, size, "fuzz.pkl")); });
  if (document.leaves.size() > kLeavesMax) return 0;
  const std::size_t leaves = document.leaves.size();
  const StateTree tree = name_document(std::move(document));  // never throws
  std::set<std::string> paths;
  for (const StateEntry& entry : tree.entries()) {
    if (!paths.insert(entry.field.path.text()).second) __builtin_trap();
  }
  if (paths.size() != leaves) __builtin_trap();
  return 0;
}
