// JsonWriter: builds JSON text, a value at a time, in the order in which it is asked. The only way
// out to JSON text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace samestep {

/// Values, keys and closings must come in an order that makes a document (SAMESTEP_CHECK). Text
/// that is not UTF-8 is written with its odd bytes as \xNN, so that what comes out is always valid.
class JsonWriter {
 public:
  enum class Style : std::uint8_t {
    line,      ///< one line without spaces
    indented,  ///< two spaces a level; containers opened as `compact` stay on one line
  };
  explicit JsonWriter(Style style = Style::line) : style_(style) {}

  JsonWriter& object(bool compact = false) { return open('{', compact); }
  JsonWriter& array(bool compact = false) { return open('[', compact); }
  JsonWriter& end();
  JsonWriter& key(std::string_view name);

  JsonWriter& null() { return raw("null"); }
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& integer(std::int64_t value) { return raw(std::to_string(value)); }
  JsonWriter& integer(std::uint64_t value) { return raw(std::to_string(value)); }
  /// Shortest text that reads back as the same double; non-finite ones become the strings "nan",
  /// "inf", "-inf".
  JsonWriter& number(double value);
  JsonWriter& string(std::string_view value);
  /// A value that is valid JSON text already.
  JsonWriter& raw(std::string_view json);

  /// The whole document; every container must be closed. An indented one ends with a line feed.
  std::string take();

 private:
  struct Level {
    char close;
    bool compact;
    std::size_t count = 0;
  };
  JsonWriter& open(char bracket, bool compact);
  void before_value();
  void separate();
  void new_line();

  Style style_;
  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

/// `text` as a JSON string, quotes included.
std::string json_string(std::string_view text);

}  // namespace samestep
