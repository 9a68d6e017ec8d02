// stateless_file: names of files that lie in checkpoint folders and hold no state.
#pragma once

#include <string_view>

namespace samestep {

/// Why the file at `path` is not opened ("code", "a text", "a configuration", "a log"); null when
/// it may hold state.
const char* stateless_reason(std::string_view path) noexcept;

/// True when the name promises a checkpoint (.pt, .safetensors, ...): such a file must be readable.
bool claims_state(std::string_view path) noexcept;

}  // namespace samestep
