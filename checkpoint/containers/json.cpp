#include "checkpoint/containers/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_set>

#include "checkpoint/containers/utf8.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using Kind = JsonNode::Kind;

/// Digits of an integer beyond this are refused, as Python's own reader does.
constexpr std::size_t kDigitsMax = 4300;

class Parser {
 public:
  Parser(const FileSlice& slice, JsonDialect dialect)
      : slice_(slice),
        text_(reinterpret_cast<const char*>(slice.bytes.data()), slice.bytes.size()),
        python_(dialect == JsonDialect::python) {}

  JsonNode parse() {
    require_utf8();
    JsonNode node = value(0);
    space();
    if (at_ != text_.size()) fail("has text after the JSON value");
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::corrupt) const {
    throw Error(code, "JSON " + message + " (offset " + std::to_string(slice_.offset + at_) + ")",
                slice_.file, "the file was cut or altered: restore it or save again");
  }

  void require_utf8() {
    const std::size_t bad = first_invalid_utf8(text_);
    if (bad == std::string_view::npos) return;
    at_ = bad;
    fail("is not UTF-8");
  }

  void space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }

  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  JsonNode value(int depth) {
    if (depth > kJsonDepthMax)
      fail("is nested deeper than " + std::to_string(kJsonDepthMax), ErrorCode::limit);
    if (++nodes_ > kJsonNodesMax)
      fail("has more than " + std::to_string(kJsonNodesMax) + " values", ErrorCode::limit);
    space();
    if (at_ == text_.size()) fail("ends where a value should be");
    switch (text_[at_]) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return string_node();
      default:
        return scalar();
    }
  }

  JsonNode object(int depth) {
    JsonNode node;
    node.kind = Kind::object;
    std::unordered_set<std::string> seen;
    ++at_;
    space();
    if (take("}")) return node;
    do {
      space();
      if (at_ == text_.size() || text_[at_] != '"') fail("has no name where a member should begin");
      std::string name = string_text();
      if (!seen.insert(name).second) fail("names the member \"" + printable(name) + "\" twice");
      space();
      if (!take(":")) fail("has no ':' after a member's name");
      node.names.push_back(std::move(name));
      node.items.push_back(value(depth + 1));
      space();
    } while (take(","));
    if (!take("}")) fail("has an object that does not end");
    return node;
  }

  JsonNode array(int depth) {
    JsonNode node;
    node.kind = Kind::array;
    ++at_;
    space();
    if (take("]")) return node;
    do {
      node.items.push_back(value(depth + 1));
      space();
    } while (take(","));
    if (!take("]")) fail("has an array that does not end");
    return node;
  }

  JsonNode string_node() {
    JsonNode node;
    node.kind = Kind::string;
    node.text = string_text();
    return node;
  }

  std::string string_text() {
    std::string out;
    ++at_;
    while (true) {
      const std::size_t plain = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20)
        ++at_;
      out.append(text_.substr(plain, at_ - plain));
      if (at_ == text_.size()) fail("has a string that does not end");
      if (take("\"")) return out;
      if (text_[at_] != '\\') fail("has a control character in a string");
      ++at_;
      escape(out);
    }
  }

  void escape(std::string& out) {
    if (at_ == text_.size()) fail("has a string that does not end");
    static constexpr std::string_view kLetters = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char letter = text_[at_++];
    if (const auto place = kLetters.find(letter); place != std::string_view::npos) {
      out.push_back(kMeanings[place]);
    } else if (letter == 'u') {
      unicode(out);
    } else {
      fail("has an unknown escape in a string");
    }
  }

  void unicode(std::string& out) {
    std::uint32_t code = hex4();
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      const std::size_t before = at_;
      at_ += 2;
      const std::uint32_t low = hex4();
      if (low >= 0xDC00 && low < 0xE000)
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      else
        at_ = before;
    }
    if (code >= 0xD800 && code < 0xE000 && !python_) fail("has a lone surrogate in a string");
    append_utf8(out, code);
  }

  std::uint32_t hex4() {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() < 4 || error != std::errc() || end != digits.data() + 4)
      fail("has a bad \\u escape");
    at_ += 4;
    return code;
  }

  JsonNode scalar() {
    JsonNode node;
    if (take("null")) return node;
    node.boolean = take("true");
    if (node.boolean || take("false")) {
      node.kind = Kind::boolean;
      return node;
    }
    if (python_ && special(node)) return node;
    number(node);
    return node;
  }

  bool special(JsonNode& node) {
    node.real = std::numeric_limits<double>::infinity();
    if (take("NaN"))
      node.real = std::numeric_limits<double>::quiet_NaN();
    else if (take("-Infinity"))
      node.real = -node.real;
    else if (!take("Infinity"))
      return false;
    node.kind = Kind::real;
    return true;
  }

  std::size_t digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ - begin;
  }

  void number(JsonNode& node) {
    const std::size_t begin = at_;
    take("-");
    const bool zero_first = at_ < text_.size() && text_[at_] == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (zero_first && whole > 1)) {
      at_ = begin;
      fail("has something that is no value");
    }
    if (whole > kDigitsMax)
      fail("has a number of more than " + std::to_string(kDigitsMax) + " digits", ErrorCode::limit);
    node.kind = Kind::integer;
    if (take(".")) {
      node.kind = Kind::real;
      if (digits() == 0) fail("has a number without digits after its point");
    }
    if (take("e") || take("E")) {
      node.kind = Kind::real;
      if (!take("+")) take("-");
      if (digits() == 0) fail("has a number without digits in its exponent");
    }
    node.text = std::string(text_.substr(begin, at_ - begin));
    if (node.kind == Kind::real) {
      node.real = std::strtod(node.text.c_str(), nullptr);
      if (std::isinf(node.real) && !python_) fail("has a number beyond the range of a double");
      node.text.clear();
    }
  }

  const FileSlice& slice_;
  std::string_view text_;
  bool python_;
  std::size_t at_ = 0, nodes_ = 0;
};

template <typename Integer>
std::optional<Integer> integer_of(const JsonNode& node) noexcept {
  Integer out = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, out);
  if (node.kind != Kind::integer || error != std::errc() || stop != end) return std::nullopt;
  return out;
}

}  // namespace

const JsonNode* JsonNode::find(std::string_view name) const noexcept {
  const auto place = std::find(names.begin(), names.end(), name);
  return place == names.end() ? nullptr : &items[static_cast<std::size_t>(place - names.begin())];
}

std::optional<std::int64_t> JsonNode::as_int64() const noexcept {
  return integer_of<std::int64_t>(*this);
}
std::optional<std::uint64_t> JsonNode::as_uint64() const noexcept {
  return integer_of<std::uint64_t>(*this);
}

JsonNode parse_json(const FileSlice& text, JsonDialect dialect) {
  return Parser(text, dialect).parse();
}

}  // namespace samestep
