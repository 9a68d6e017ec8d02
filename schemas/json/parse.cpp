// The parser behind JsonNode::parse: the one home of nlohmann/json.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "schemas/error.h"
#include "schemas/json/document.h"
#include "schemas/json/node.h"

namespace samestep {
namespace {

// nlohmann/json refuses the literals that Python's json writes for non-finite floats. Each is
// replaced by a number token of the same length whose value is zero and that no writer makes, and
// recognised again by its text.
struct NonFinite {
  std::string_view literal, token;
  double value;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NonFinite kNonFinite[] = {
    {"-Infinity", "-0.000e77", -kInfinity},
    {"Infinity", "0.000e77", kInfinity},
    {"NaN", "0e7", std::numeric_limits<double>::quiet_NaN()},
};

class Events : public nlohmann::json_sax<nlohmann::json> {
 public:
  Events(std::string where, const JsonLimits& limits, bool replaced)
      : where_(where), builder_(std::move(where), limits), replaced_(replaced) {}

  bool null() override { return builder_.null(), true; }
  bool boolean(bool value) override { return builder_.boolean(value), true; }
  bool number_integer(number_integer_t value) override {
    return builder_.integer(std::to_string(value)), true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    return builder_.integer(std::to_string(value)), true;
  }
  bool number_float(number_float_t value, const string_t& text) override {
    for (const NonFinite& entry : kNonFinite) {
      if (replaced_ && text == entry.token) return builder_.floating(entry.value), true;
    }
    // An integer beyond 64 bits arrives here; its text has neither point nor exponent.
    if (text.find_first_of(".eE") == std::string::npos) return builder_.integer(text), true;
    return builder_.floating(value), true;
  }
  bool string(string_t& value) override { return builder_.string(std::move(value)), true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return builder_.open(JsonNode::Kind::object), true; }
  bool key(string_t& value) override { return builder_.key(std::move(value)), true; }
  bool end_object() override { return builder_.close(), true; }
  bool start_array(std::size_t) override { return builder_.open(JsonNode::Kind::array), true; }
  bool end_array() override { return builder_.close(), true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw Error(ErrorCode::corrupt, "not valid JSON: " + reason_of(error.what()),
                where_ + ", byte " + std::to_string(position == 0 ? 0 : position - 1));
  }
  JsonNode finish() { return builder_.finish(); }

 private:
  // The parser's message without its own prefix "[json.exception...] parse error at line 1, column
  // 2: ".
  static std::string reason_of(const std::string& text) {
    const std::size_t colon = text.find(": ");
    return colon == std::string::npos ? text : text.substr(colon + 2);
  }

  std::string where_;
  JsonBuilder builder_;
  bool replaced_;
};

// Offset just past the string that begins at `offset` (its opening quote).
std::size_t skip_string(std::string_view text, std::size_t offset) {
  for (++offset; offset < text.size() && text[offset] != '"'; ++offset) {
    if (text[offset] == '\\') ++offset;
  }
  return offset + 1;
}

bool replace_non_finite(std::string& text) {
  bool replaced = false;
  for (std::size_t offset = 0; offset < text.size();) {
    if (text[offset] == '"') {
      offset = skip_string(text, offset);
      continue;
    }
    std::size_t bytes = 1;
    for (const NonFinite& entry : kNonFinite) {
      if (text.compare(offset, entry.literal.size(), entry.literal) != 0) continue;
      text.replace(offset, entry.token.size(), entry.token);
      bytes = entry.token.size();
      replaced = true;
      break;
    }
    offset += bytes;
  }
  return replaced;
}

}  // namespace

JsonNode JsonNode::parse(std::string_view text, const std::string& where,
                         const JsonLimits& limits) {
  if (text.size() > limits.text_bytes) {
    throw Error(ErrorCode::limit,
                "JSON of " + std::to_string(text.size()) + " bytes, at most " +
                    std::to_string(limits.text_bytes) + " are read",
                where);
  }
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    throw Error(ErrorCode::corrupt, "not valid JSON: a byte order mark", where + ", byte 0");
  }
  std::string changed;
  bool replaced = false;
  if (limits.non_finite && (text.find("NaN") != text.npos || text.find("Infinity") != text.npos)) {
    changed = text;
    replaced = replace_non_finite(changed);
    text = changed;
  }
  Events events(where, limits, replaced);
  nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  return events.finish();
}

}  // namespace samestep
