// JsonNode: a parsed JSON document, ours or foreign, read without trust. The only way into JSON
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace samestep {

/// What a document may be. The defaults suit our own records; foreign ones may need other limits.
struct JsonLimits {
  std::size_t text_bytes = std::size_t{256} << 20;
  std::size_t depth = 64;          ///< nesting of arrays and objects
  std::size_t nodes = 20'000'000;  ///< values in the whole document
  bool duplicate_keys = false;     ///< accept them, the last one wins (as Python's json does)
  bool non_finite = false;  ///< accept NaN, Infinity, -Infinity (as Python's json writes them)
};

/// A value in a document; cheap to copy, keeps the document alive, immutable, safe to read from
/// several threads. A call that asks for what is not there throws Error{corrupt} whose `where` is
/// the document's, with the JSON pointer of the value ("capture.json at /ranks/0").
class JsonNode {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, floating, string, array, object };

  /// Throws Error{corrupt} (syntax, with the byte offset; duplicate keys; not UTF-8) or
  /// Error{limit}.
  static JsonNode parse(std::string_view text, const std::string& where,
                        const JsonLimits& limits = {});

  Kind kind() const noexcept;
  bool is_null() const noexcept { return kind() == Kind::null; }
  bool is_object() const noexcept { return kind() == Kind::object; }
  bool is_array() const noexcept { return kind() == Kind::array; }
  bool is_string() const noexcept { return kind() == Kind::string; }
  bool is_integer() const noexcept { return kind() == Kind::integer; }
  bool is_number() const noexcept { return is_integer() || kind() == Kind::floating; }
  bool is_boolean() const noexcept { return kind() == Kind::boolean; }

  bool as_bool() const;
  /// An integer in the range of int64; as_unsigned: of uint64.
  std::int64_t as_int() const;
  std::uint64_t as_unsigned() const;
  /// Any number, rounded to double.
  double as_double() const;
  const std::string& as_string() const;
  /// Exact text of an integer of any size ("-12345678901234567890123").
  std::string integer_text() const;

  /// Number of elements or members; 0 for anything else.
  std::size_t size() const noexcept;
  /// Element of an array; throws when there is none.
  JsonNode operator[](std::size_t index) const;
  std::vector<JsonNode> elements() const;
  /// Member of an object; `at` throws when there is none or this is no object, `find` gives nothing
  /// then.
  JsonNode at(std::string_view key) const;
  std::optional<JsonNode> find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key).has_value(); }
  /// Members in the order of the text. `key()` of each is its name.
  std::vector<JsonNode> items() const;
  /// Name of this member of an object, or empty.
  const std::string& key() const noexcept;

  /// JSON pointer of this value ("" for the root), and the document's `where` with it.
  std::string pointer() const;
  std::string where() const;
  /// Throws Error{corrupt} that says `message` about this value.
  [[noreturn]] void fail(const std::string& message, const std::string& remedy = {}) const;

 private:
  struct Data;
  struct Document;
  friend class JsonBuilder;
  JsonNode(std::shared_ptr<const Document> document, const Data* data);
  [[noreturn]] void fail_kind(const char* expected) const;

  std::shared_ptr<const Document> document_;
  const Data* data_;
};

/// "an object", "a string", ...
const char* to_string(JsonNode::Kind kind) noexcept;

}  // namespace samestep
