#include "schemas/error.h"

#include <utility>

#include "schemas/names.h"
#include "schemas/utf8.h"

namespace samestep {
namespace {

constexpr std::size_t kWhereBytesMax = 1024;
constexpr std::size_t kMessageBytesMax = 4096;

constexpr Names<ErrorCode, 7> kCodes{
    {"not_found", "unreadable", "corrupt", "unsupported", "limit", "usage", "failed"}};

std::string line_of(const std::string& message, const std::string& where,
                    const std::string& remedy) {
  std::string line;
  if (!where.empty()) line += printable(where, kWhereBytesMax) + ": ";
  line += printable(message, kMessageBytesMax);
  if (!remedy.empty()) line += "; " + printable(remedy, kMessageBytesMax);
  return line;
}

// Characters that change how a terminal shows what follows: controls, line separators, bidi marks.
bool is_control(std::uint32_t code) noexcept {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

}  // namespace

const char* to_string(ErrorCode code) noexcept { return kCodes.of(code).data(); }

Error::Error(ErrorCode code, std::string message, std::string where, std::string remedy)
    : std::runtime_error(line_of(message, where, remedy)),
      code_(code),
      message_(std::move(message)),
      where_(std::move(where)),
      remedy_(std::move(remedy)) {}

std::string printable(const std::string& text, std::size_t bytes_max) {
  std::string out;
  std::size_t offset = 0;
  while (offset < text.size()) {
    const Utf8Character character = utf8_at(text, offset);
    const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    if (offset + bytes > bytes_max) return out + "...";
    const std::string_view piece = std::string_view(text).substr(offset, bytes);
    if (character.bytes == 0 || is_control(character.code)) {
      append_escaped(out, piece);
    } else {
      out += piece;
    }
    offset += bytes;
  }
  return out;
}

}  // namespace samestep
