#include "checkpoint/formats/file_format.h"

#include <string_view>

#include "checkpoint/formats/safetensors.h"

namespace samestep {
namespace {

using std::string_view_literals::operator""sv;

/// PROTO 2, LONG1 of 10 bytes: the magic number 0x1950a86a20f9469cfc6c of the legacy format, at any
/// protocol.
constexpr std::string_view kLegacyMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
constexpr std::size_t kTarMagicOffset = 257;

bool is_legacy(std::string_view text) noexcept {
  // A protocol 4 pickle has a frame before the number.
  for (const std::size_t at : {std::size_t{2}, std::size_t{11}})
    if (text.size() > at && text.substr(at).starts_with(kLegacyMagic)) return true;
  return false;
}

}  // namespace

FileFormat file_format(std::span<const std::byte> bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) return FileFormat::empty;
  if (text.starts_with("PK\x03\x04"sv) || text.starts_with("PK\x05\x06"sv)) return FileFormat::zip;
  if (text.starts_with("\x93NUMPY"sv)) return FileFormat::npy;
  if (looks_like_safetensors(bytes)) return FileFormat::safetensors;
  if (text.size() > 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5)
    return is_legacy(text) ? FileFormat::torch_legacy : FileFormat::pickle;
  if (text.size() > kTarMagicOffset && text.substr(kTarMagicOffset).starts_with("ustar"))
    return FileFormat::tar;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return FileFormat::json;
  return FileFormat::unknown;
}

const char* describe(FileFormat format) noexcept {
  switch (format) {
    case FileFormat::unknown:
      return "an unknown format";
    case FileFormat::empty:
      return "an empty file";
    case FileFormat::zip:
      return "a zip archive";
    case FileFormat::torch_legacy:
      return "a legacy torch.save file";
    case FileFormat::pickle:
      return "a pickle";
    case FileFormat::npy:
      return "a NumPy array";
    case FileFormat::safetensors:
      return "safetensors";
    case FileFormat::json:
      return "JSON";
    case FileFormat::tar:
      return "a tar archive";
  }
  return "an unknown format";
}

}  // namespace samestep
