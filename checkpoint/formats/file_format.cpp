#include "checkpoint/formats/file_format.h"

#include <string_view>

#include "checkpoint/formats/bundle.h"
#include "checkpoint/formats/python_file.h"
#include "checkpoint/formats/safetensors.h"

namespace samestep {
namespace {

constexpr std::size_t kTarMagicOffset = 257;

}  // namespace

FileFormat file_format(std::span<const std::byte> bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) return FileFormat::empty;
  if (looks_like_bundle(bytes)) return FileFormat::bundle;
  if (looks_like_python_file(bytes)) return FileFormat::python;
  if (looks_like_safetensors(bytes)) return FileFormat::safetensors;
  if (text.size() > kTarMagicOffset && text.substr(kTarMagicOffset).starts_with("ustar"))
    return FileFormat::tar;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return FileFormat::json;
  return FileFormat::unknown;
}

}  // namespace samestep
