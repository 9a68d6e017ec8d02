// What a ZIP file says of a record beside its central directory: the local header before the bytes,
// and the data descriptor after them (PKWARE APPNOTE 6.3.x, 4.3.7 and 4.3.9).
#pragma once

#include <cstdint>
#include <string>

#include "checkpoint/containers/zip.h"

namespace samestep {

/// Where the stored bytes of `entry` begin in `archive`. `mismatch`, where given, gets a sentence
/// when one of the two says something else than the directory. Throws Error{corrupt} when there is
/// no local header or the record reaches into what follows it, Error{unsupported} when it is
/// encrypted.
std::uint64_t read_zip_local(const FileSlice& archive, const ZipEntry& entry,
                             std::string* mismatch);

/// By the general purpose flags of a header.
constexpr bool is_encrypted_zip(std::uint16_t flags) noexcept {
  return (flags & (1u | 1u << 6 | 1u << 13)) != 0;
}

/// Throws Error{unsupported}: `message`, at this byte of the archive.
[[noreturn]] void refuse_zip(const FileSlice& archive, std::uint64_t at,
                             const std::string& message);

}  // namespace samestep
