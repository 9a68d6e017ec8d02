// Inspection: what a checkpoint or a capture holds, as `samestep inspect` tells it (inspect.v1).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/field.h"

namespace samestep {

inline constexpr const char* kInspectSchema = "inspect.v1";

struct InspectedField {
  Field field;         ///< digest filled when XXH3 digests were asked for
  std::string sha256;  ///< of the canonical bytes, lower-case hexadecimal; empty when not asked for
  int rank = 0;        ///< of a capture; 0 for a checkpoint
};

struct ComponentCount {
  std::uint64_t fields = 0, bytes = 0;
};

struct Inspection {
  std::string path, format;
  std::optional<std::int64_t> step;  ///< completed optimizer steps
  std::string step_source;           ///< what said so; empty when nothing did
  std::vector<InspectedField> fields;
  std::map<std::string, ComponentCount> components;
  std::vector<std::pair<std::string, std::string>> absent;  ///< what, why it matters
  std::vector<std::string> warnings, notes;
};

}  // namespace samestep
