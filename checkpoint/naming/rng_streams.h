// Random streams: which generator a recognised random state is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/naming/recognise.h"

namespace samestep {

/// What the keys around a random state say about it.
struct RngStream {
  std::vector<std::string>
      parts;  ///< after "rng": {"torch.cpu"}, {"torch.cuda.0"}, {"python"}, {"generator.noise"}
  std::optional<int> rank;
  bool global = false;  ///< a process-wide stream, not a private generator
};

RngStream rng_stream(const KeyNode& node, RngShape shape);
/// The same state as a private generator ("generator.<keys joined by dots>").
RngStream private_stream(const KeyNode& node);
/// A name (of a container or a file) that speaks of random state.
bool speaks_of_randomness(std::string_view text);
/// A key above `node` (itself included), or its file, has such a name.
bool speaks_of_randomness(const KeyNode& node);
/// Where a leaf of a state stands below its stream, by the keys that lead to it from the state's
/// container and its position there: {"version"} of Python's, {} of the numbers themselves.
std::vector<std::string> stream_parts(RngShape shape, std::size_t position,
                                      const std::vector<std::string>& keys);

}  // namespace samestep
