#include "schemas/utf8.h"

namespace samestep {
namespace {

struct Lead {
  std::size_t bytes;
  std::uint32_t bits, code_min;
};

Lead lead_of(unsigned char byte) noexcept {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {2, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {4, byte & 0x07u, 0x10000};
  return {0, 0, 0};
}

}  // namespace

Utf8Character utf8_at(std::string_view text, std::size_t offset) noexcept {
  const Lead lead = lead_of(static_cast<unsigned char>(text[offset]));
  if (lead.bytes == 0 || text.size() - offset < lead.bytes) return {};
  std::uint32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[offset + i]);
    if ((byte & 0xC0u) != 0x80u) return {};
    code = (code << 6) | (byte & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lead.code_min || code > 0x10FFFF || surrogate) return {};
  return {code, lead.bytes};
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t bytes = utf8_at(text, offset).bytes;
    if (bytes == 0) return false;
    offset += bytes;
  }
  return true;
}

}  // namespace samestep
