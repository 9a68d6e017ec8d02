// The two forms of a Value: tagged (lossless) and plain (for people and foreign programs).
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "schemas/hex.h"
#include "schemas/json/field_json.h"
#include "schemas/utf8.h"

namespace samestep {
namespace {

constexpr std::size_t kPlainNumbersMax = 16;

void write_exact(JsonWriter& writer, double number) {
  if (std::isfinite(number)) {
    writer.number(number);
  } else {
    writer.string(hex_of(std::bit_cast<std::uint64_t>(number)));
  }
}

double read_exact(const JsonNode& node) {
  if (!node.is_string()) return node.as_double();
  const auto bits = number_from_hex(node.as_string());
  if (!bits) node.fail("expected the 16 hexadecimal digits of a float");
  return std::bit_cast<double>(*bits);
}

struct Tagged {
  JsonWriter& writer;

  void operator()(const None&) const { writer.key("none").null(); }
  void operator()(bool flag) const { writer.key("bool").boolean(flag); }
  void operator()(std::int64_t number) const { writer.key("int").integer(number); }
  void operator()(const BigInt& number) const {
    writer.key("int_hex").string(hex_of(std::span<const std::byte>(number.bytes)));
  }
  void operator()(double number) const { write_exact(writer.key("float"), number); }
  void operator()(const std::string& text) const {
    if (is_utf8(text)) {
      writer.key("str").string(text);
    } else {
      writer.key("str_hex").string(hex_of(std::as_bytes(std::span(text))));
    }
  }
  void operator()(const Bytes& bytes) const {
    writer.key("bytes").string(hex_of(std::span<const std::byte>(bytes)));
  }
  void operator()(const Numbers& numbers) const {
    if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&numbers.values)) {
      write_integers(writer.key("ints"), *ints);
      return;
    }
    writer.key("floats").array(true);
    for (const double number : std::get<std::vector<double>>(numbers.values)) {
      write_exact(writer, number);
    }
    writer.end();
  }
};

struct Plain {
  JsonWriter& writer;

  void operator()(const None&) const { writer.null(); }
  void operator()(bool flag) const { writer.boolean(flag); }
  void operator()(std::int64_t number) const { writer.integer(number); }
  void operator()(const BigInt& number) const {
    const std::string text = decimal(number);
    std::uint64_t fits = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), fits);
    if (end.ec == std::errc() && end.ptr == text.data() + text.size()) {
      writer.integer(fits);
    } else {
      writer.string(text);
    }
  }
  void operator()(double number) const { writer.number(number); }
  void operator()(const std::string& text) const { writer.string(text); }
  void operator()(const Bytes& bytes) const { count("bytes", bytes.size()); }
  void operator()(const Numbers& numbers) const {
    std::visit([this](const auto& list) { write_list(list); }, numbers.values);
  }
  template <typename Number>
  void write_list(const std::vector<Number>& list) const {
    if (list.size() > kPlainNumbersMax) return count("numbers", list.size());
    writer.array(true);
    for (const Number number : list) (*this)(number);
    writer.end();
  }
  void count(const char* noun, std::size_t number) const {
    writer.object(true).key(noun).integer(static_cast<std::uint64_t>(number)).end();
  }
};

Bytes read_bytes(const JsonNode& node) {
  auto bytes = bytes_from_hex(node.as_string());
  if (!bytes) node.fail("expected pairs of lower-case hexadecimal digits");
  return std::move(*bytes);
}

// Plain integers reach up to uint64; those beyond int64 are held as bytes.
Value read_integer(const JsonNode& node) {
  if (node.integer_text().front() == '-') return node.as_int();
  const std::uint64_t number = node.as_unsigned();
  if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return static_cast<std::int64_t>(number);
  }
  BigInt big;
  for (unsigned i = 0; i < 8; ++i) big.bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
  big.bytes.push_back(std::byte{0});
  return big;
}

double read_plain_float(const JsonNode& node) {
  if (!node.is_string()) return node.as_double();
  const std::string& text = node.as_string();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  node.fail("expected a number");
}

Numbers read_short_list(const JsonNode& node) {
  if (node.size() > kPlainNumbersMax) node.fail("more numbers than a list may hold");
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  for (const JsonNode& element : node.elements()) {
    if (element.is_integer()) ints.push_back(element.as_int());
    floats.push_back(read_plain_float(element));
  }
  if (ints.size() == floats.size()) return Numbers{std::move(ints)};
  return Numbers{std::move(floats)};
}

Numbers read_numbers(const JsonNode& node) {
  if (node.key() == "ints") {
    std::vector<std::int64_t> list;
    for (const JsonNode& element : node.elements()) list.push_back(element.as_int());
    return Numbers{std::move(list)};
  }
  std::vector<double> list;
  for (const JsonNode& element : node.elements()) list.push_back(read_exact(element));
  return Numbers{std::move(list)};
}

}  // namespace

void write_tagged(JsonWriter& writer, const Value& value) {
  writer.object(true);
  std::visit(Tagged{writer}, value);
  writer.end();
}

void write_plain(JsonWriter& writer, const Value& value) { std::visit(Plain{writer}, value); }

std::optional<Value> read_plain(const JsonNode& node) {
  switch (node.kind()) {
    case JsonNode::Kind::null:
      return None{};
    case JsonNode::Kind::boolean:
      return node.as_bool();
    case JsonNode::Kind::integer:
      return read_integer(node);
    case JsonNode::Kind::floating:
      return node.as_double();
    case JsonNode::Kind::string:
      return node.as_string();
    case JsonNode::Kind::array:
      return read_short_list(node);
    case JsonNode::Kind::object:
      break;
  }
  const bool count = node.size() == 1 && (node.contains("bytes") || node.contains("numbers"));
  if (!count) node.fail("expected a value or a count");
  node.items().front().as_unsigned();
  return std::nullopt;
}

Value read_tagged(const JsonNode& node) {
  if (!node.is_object() || node.size() != 1) node.fail("expected an object with one key, the kind");
  const JsonNode member = node.items().front();
  const std::string& kind = member.key();
  if (kind == "none") {
    if (!member.is_null()) member.fail("expected null");
    return None{};
  }
  if (kind == "bool") return member.as_bool();
  if (kind == "int") return member.as_int();
  if (kind == "int_hex") return BigInt{read_bytes(member)};
  if (kind == "float") return read_exact(member);
  if (kind == "str") return member.as_string();
  if (kind == "str_hex") {
    const Bytes bytes = read_bytes(member);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (kind == "bytes") return read_bytes(member);
  if (kind == "ints" || kind == "floats") return read_numbers(member);
  member.fail("no kind of value has this name");
}

}  // namespace samestep
