// Shortage: a full disk makes any command fail; it is not the command's fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/run_reader.h"

namespace samestep {

/// What says that the disk of `folder` is full, or its quota used up: the last lines of the
/// command's `log`, an error of the recorder, or the free space that is left. Absent when nothing
/// does. Never throws.
std::optional<std::string> disk_shortage(const std::string& folder, const std::string& log,
                                         const std::vector<RankRecord>& ranks) noexcept;

/// Less than 1 MiB is left. A file system that tells no size (capacity 0) is not full.
bool is_full(std::uint64_t capacity_bytes, std::uint64_t available_bytes) noexcept;

/// What to do about it.
inline constexpr const char* kShortageRemedy =
    "free space, or give --work on another disk: each leg keeps an output folder and its records "
    "there";

}  // namespace samestep
