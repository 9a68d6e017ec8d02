#include "schemas/field_path.h"

#include "schemas/hex.h"
#include "schemas/utf8.h"

namespace samestep {
namespace {

std::string unescape_part(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char next = part[i] == '~' && i + 1 < part.size() ? part[i + 1] : '\0';
    if (next == '0' || next == '1') {
      text += next == '0' ? '~' : '/';
      i += 1;
    } else if (const auto byte = next == 'x' ? bytes_from_hex(part.substr(i + 2, 2)) : std::nullopt;
               byte && byte->size() == 1) {
      text += static_cast<char>(byte->front());
      i += 3;
    } else {
      text += part[i];
    }
  }
  return text;
}

template <typename Parts>
std::string join(const Parts& parts) {
  std::string text;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) text += '/';
    text += escape_part(part);
    first = false;
  }
  return text;
}

}  // namespace

std::string escape_part(std::string_view part) {
  std::string text;
  text.reserve(part.size());
  for (std::size_t offset = 0; offset < part.size();) {
    const std::size_t bytes = utf8_at(part, offset).bytes;
    if (bytes == 0) {
      const auto byte = static_cast<std::byte>(part[offset]);
      text += "~x" + hex_of(std::span(&byte, 1));
    } else if (part[offset] == '~') {
      text += "~0";
    } else if (part[offset] == '/') {
      text += "~1";
    } else {
      text += part.substr(offset, bytes);
    }
    offset += bytes == 0 ? 1 : bytes;
  }
  return text;
}

FieldPath FieldPath::of(std::initializer_list<std::string_view> parts) {
  return FieldPath(join(parts));
}

FieldPath FieldPath::of(const std::vector<std::string>& parts) { return FieldPath(join(parts)); }

std::vector<std::string> FieldPath::parts() const {
  std::vector<std::string> parts;
  if (text_.empty()) return parts;
  std::string_view rest = text_;
  for (;;) {
    const std::size_t slash = rest.find('/');
    parts.push_back(unescape_part(rest.substr(0, slash)));
    if (slash == std::string_view::npos) return parts;
    rest.remove_prefix(slash + 1);
  }
}

std::string FieldPath::component() const {
  return unescape_part(std::string_view(text_).substr(0, text_.find('/')));
}

std::string FieldPath::component_kind() const {
  std::string kind = component();
  const std::size_t dot = kind.rfind('.');
  if (dot == std::string::npos || dot + 1 == kind.size()) return kind;
  if (kind.find_first_not_of("0123456789", dot + 1) != std::string::npos) return kind;
  return kind.substr(0, dot);
}

std::string FieldPath::leaf() const {
  const std::size_t slash = text_.rfind('/');
  const std::string_view text = text_;
  return unescape_part(slash == std::string::npos ? text : text.substr(slash + 1));
}

FieldPath FieldPath::operator/(std::string_view part) const {
  return FieldPath(text_.empty() ? escape_part(part) : text_ + "/" + escape_part(part));
}

}  // namespace samestep
