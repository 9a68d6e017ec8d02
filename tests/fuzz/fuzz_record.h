// What fuzz targets of our own records share.
#pragma once

#include <string>

#include "checkpoint/containers/byte_reader.h"
#include "tests/fuzz/fuzz_input.h"

namespace samestep::fuzz {

/// Reads a record; one that is accepted must be written and read again without a change.
template <typename Read, typename Write>
int round_trip(const std::uint8_t* data, std::size_t size, Read&& read, Write&& write) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  return run([&] {
    const std::string once = write(read(text, "fuzz"));
    if (write(read(once, "again")) != once) __builtin_trap();
  });
}

}  // namespace samestep::fuzz
