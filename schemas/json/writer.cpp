#include "schemas/json/writer.h"

#include <cmath>
#include <utility>

#include "schemas/check.h"
#include "schemas/utf8.h"
#include "schemas/value.h"

namespace samestep {
namespace {

constexpr const char* kDigits = "0123456789abcdef";

void append_byte(std::string& out, const char* prefix, unsigned char byte) {
  out += prefix;
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7F) {
    append_byte(out, "\\u00", byte);
  } else {
    out += c;
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t bytes = utf8_at(text, offset).bytes;
    if (bytes == 0) {
      append_byte(out, "\\\\x", static_cast<unsigned char>(text[offset]));
    } else if (bytes == 1) {
      append_ascii(out, text[offset]);
    } else {
      out += text.substr(offset, bytes);
    }
    offset += bytes == 0 ? 1 : bytes;
  }
  return out + '"';
}

void JsonWriter::new_line() {
  text_ += '\n';
  text_.append(levels_.size() * 2, ' ');
}

void JsonWriter::separate() {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  const bool spread = style_ == Style::indented && !level.compact;
  if (level.count++ > 0) text_ += style_ == Style::indented && !spread ? ", " : ",";
  if (spread) new_line();
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  SAMESTEP_CHECK(levels_.empty() ? text_.empty() : levels_.back().close == ']');
  separate();
}

JsonWriter& JsonWriter::open(char bracket, bool compact) {
  before_value();
  text_ += bracket;
  const bool inherited = !levels_.empty() && levels_.back().compact;
  levels_.push_back({bracket == '{' ? '}' : ']', compact || inherited});
  return *this;
}

JsonWriter& JsonWriter::end() {
  SAMESTEP_CHECK(!levels_.empty() && !after_key_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (style_ == Style::indented && !level.compact && level.count > 0) new_line();
  text_ += level.close;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  SAMESTEP_CHECK(!levels_.empty() && levels_.back().close == '}' && !after_key_);
  separate();
  text_ += json_string(name);
  text_ += style_ == Style::indented ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (std::isnan(value)) return string("nan");
  if (std::isinf(value)) return string(value < 0 ? "-inf" : "inf");
  return raw(float_text(value));
}

JsonWriter& JsonWriter::string(std::string_view value) { return raw(json_string(value)); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  text_ += json;
  return *this;
}

std::string JsonWriter::take() {
  SAMESTEP_CHECK(levels_.empty() && !after_key_ && !text_.empty());
  if (style_ == Style::indented) text_ += '\n';
  return std::exchange(text_, {});
}

}  // namespace samestep
