// forget_pages: keeps a process that looks at many places of large mapped files small.
#pragma once

#include <cstddef>
#include <span>

namespace samestep {

/// Takes the pages under and around `bytes` out of this process where they belong to a file that is
/// mapped by MappedFile; the next look reads them again from the page cache. The system maps 64 KiB
/// around each place that is looked at. Does nothing for other memory. Safe while other threads
/// read the same bytes.
void forget_pages(std::span<const std::byte> bytes) noexcept;

/// Maps the pages under `bytes` at once, which costs less than a fault for each 64 KiB; for bytes
/// that are all read next. A hint: where the system cannot, the reader's own faults do it.
void fetch_pages(std::span<const std::byte> bytes) noexcept;

/// For MappedFile: `mapping` may be forgotten from now on, or no more.
void allow_forgetting(std::span<const std::byte> mapping);
void end_forgetting(std::span<const std::byte> mapping) noexcept;

}  // namespace samestep
