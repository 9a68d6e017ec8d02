#include "checkpoint/containers/zip_local.h"

#include <string_view>

#include "checkpoint/containers/byte_reader.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50, kDescriptorSignature = 0x08074b50;
constexpr std::uint16_t kFlagDescriptor = 1u << 3, kMethodStored = 0, kMethodDeflated = 8;
constexpr std::uint32_t kIn64 = 0xFFFFFFFFu;  // the number stands in the zip64 extra field

struct Local {
  std::uint16_t flags, method;
  std::uint32_t crc32, stored_bytes, bytes;
  std::string_view name;
};

Local read_header(ByteReader& reader, const ZipEntry& entry) {
  if (reader.u32("local header") != kLocalSignature) {
    reader.fail_at(entry.header_offset, "record '" + entry.name + "' has no local header");
  }
  reader.u16("version");
  Local local{};
  local.flags = reader.u16("flags"), local.method = reader.u16("method");
  reader.take(4, "time");
  local.crc32 = reader.u32("crc");
  local.stored_bytes = reader.u32("size"), local.bytes = reader.u32("size");
  const std::uint16_t name_bytes = reader.u16("name length"),
                      extra_bytes = reader.u16("extra length");
  local.name = characters(reader.take(name_bytes, "entry name"));
  reader.take(extra_bytes, "extra field");
  return local;
}

/// What differs from the directory, or null.
const char* difference(const Local& local, const ZipEntry& entry) {
  // With a descriptor they are zero here, or right.
  const bool sizes_here = (local.flags & kFlagDescriptor) == 0;
  const auto is_other = [&](std::uint32_t size, std::uint64_t right) {
    return size != kIn64 && (sizes_here || size != 0) && size != right;
  };
  if (local.name != entry.name) return "names";
  if (local.method != (entry.deflated ? kMethodDeflated : kMethodStored)) return "methods";
  if (is_other(local.stored_bytes, entry.stored_bytes) || is_other(local.bytes, entry.bytes))
    return "sizes";
  return (sizes_here || local.crc32 != 0) && local.crc32 != entry.crc32 ? "checksums" : nullptr;
}

/// A descriptor has a signature or not, and sizes of four bytes or of eight: nothing in it tells
/// which.
bool is_descriptor(const FileSlice& archive, const ZipEntry& entry, std::uint64_t at) {
  for (const bool is_signed : {true, false}) {
    for (const std::uint64_t width : {4u, 8u}) {
      if (entry.next_offset - at < (is_signed ? 8 : 4) + 2 * width) continue;
      ByteReader reader(archive, at);
      if (is_signed && reader.u32("data descriptor") != kDescriptorSignature) continue;
      const std::uint32_t crc = reader.u32("data descriptor");
      const auto size = [&] {
        return width == 8 ? reader.u64("data descriptor") : reader.u32("data descriptor");
      };
      const std::uint64_t stored_bytes = size(), bytes = size();
      if (crc == entry.crc32 && stored_bytes == entry.stored_bytes && bytes == entry.bytes)
        return true;
    }
  }
  return false;
}

}  // namespace

void refuse_zip(const FileSlice& archive, std::uint64_t at, const std::string& message) {
  throw Error(ErrorCode::unsupported, message, place_in(archive, at), "save it without that");
}

std::uint64_t read_zip_local(const FileSlice& archive, const ZipEntry& entry,
                             std::string* mismatch) {
  constexpr std::uint64_t kDescriptorBytesMin = 12;
  ByteReader reader(archive, entry.header_offset);
  const Local local = read_header(reader, entry);
  const std::string quoted = "record '" + entry.name + "'";
  if (is_encrypted_zip(local.flags))
    refuse_zip(archive, entry.header_offset, quoted + " is encrypted");
  const std::uint64_t begin = reader.position();
  if (begin > entry.next_offset || entry.stored_bytes > entry.next_offset - begin)
    reader.fail_at(entry.header_offset, quoted + " reaches into what follows it");
  if (mismatch == nullptr) return begin;
  const std::uint64_t end = begin + entry.stored_bytes;
  if (const char* what = difference(local, entry)) {
    *mismatch = std::string("the ") + what + " of " + quoted +
                " in its local header and in the central directory differ";
  } else if ((local.flags & kFlagDescriptor) != 0 &&
             entry.next_offset - end >= kDescriptorBytesMin &&
             !is_descriptor(archive, entry, end)) {
    *mismatch = "the data descriptor of " + quoted + " and the central directory differ";
  }
  return begin;
}

}  // namespace samestep
