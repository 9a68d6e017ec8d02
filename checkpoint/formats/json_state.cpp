#include "checkpoint/formats/json_state.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "schemas/json/node.h"

namespace samestep {
namespace {

constexpr std::size_t kPackedMin = 65;
constexpr std::size_t kNodesMax = 1'000'000;

/// Minimal little-endian two's complement of decimal `digits`; quadratic, the parser bounds their
/// number.
std::vector<std::byte> twos_complement_of(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  std::vector<unsigned> bytes{0};
  for (const char digit : digits.substr(negative ? 1 : 0)) {
    unsigned carry = static_cast<unsigned>(digit - '0');
    for (unsigned& byte : bytes) {
      carry += byte * 10;
      byte = carry & 0xFF;
      carry >>= 8;
    }
    if (carry != 0) bytes.push_back(carry);
  }
  bytes.push_back(0);
  unsigned carry = 1;
  for (unsigned& byte : bytes) {
    if (!negative) break;
    carry += ~byte & 0xFF;
    byte = carry & 0xFF;
    carry >>= 8;
  }
  while (bytes.size() > 1 && bytes.back() == ((bytes[bytes.size() - 2] & 0x80) != 0 ? 0xFFu : 0u))
    bytes.pop_back();
  std::vector<std::byte> out;
  for (const unsigned byte : bytes) out.push_back(static_cast<std::byte>(byte));
  return out;
}

/// Walks the tree, the keys so far in `keys_`. Depth is bounded by the parser.
class Walk {
 public:
  explicit Walk(const FileSlice& file) : file_(file) {}

  Document run(const JsonNode& root) {
    document_.format = "JSON";
    visit(root);
    return std::move(document_);
  }

 private:
  void visit(const JsonNode& node) {
    if (node.is_object()) {
      for (const JsonNode& member : node.items())
        below({SourceKey::Kind::string, member.key()}, member);
    } else if (!node.is_array()) {
      add(scalar(node));
    } else if (!packed(node)) {
      std::size_t index = 0;
      for (const JsonNode& item : node.elements())
        below({SourceKey::Kind::integer, std::to_string(index++)}, item);
    }
  }

  void below(SourceKey key, const JsonNode& node) {
    keys_.push_back(std::move(key));
    visit(node);
    keys_.pop_back();
  }

  bool packed(const JsonNode& node) {
    if (node.size() < kPackedMin) return false;
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    for (const JsonNode& item : node.elements()) {
      const Value value = item.is_number() ? scalar(item) : None{};
      if (const auto* integer = std::get_if<std::int64_t>(&value)) integers.push_back(*integer);
      if (const auto* real = std::get_if<double>(&value)) reals.push_back(*real);
    }
    if (integers.size() == node.size())
      add(Numbers{std::move(integers)});
    else if (reals.size() == node.size())
      add(Numbers{std::move(reals)});
    else
      return false;
    return true;
  }

  static Value scalar(const JsonNode& node) {
    switch (node.kind()) {
      case JsonNode::Kind::boolean:
        return node.as_bool();
      case JsonNode::Kind::floating:
        return node.as_double();
      case JsonNode::Kind::string:
        return node.as_string();
      case JsonNode::Kind::integer:
        return integer(node.integer_text());
      default:
        return None{};
    }
  }

  static Value integer(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
    return BigInt{twos_complement_of(text)};
  }

  void add(Value value) {
    Leaf leaf;
    leaf.source = {file_.file, keys_};
    leaf.kind = FieldKind::value;
    leaf.bytes = value_bytes(value);
    leaf.value = std::move(value);
    document_.leaves.push_back(std::move(leaf));
  }

  const FileSlice& file_;
  std::vector<SourceKey> keys_;
  Document document_;
};

}  // namespace

Document read_json_state(const FileSlice& file) {
  JsonLimits limits;
  limits.depth = 128;
  limits.nodes = kNodesMax;
  limits.non_finite = true;
  const std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  return Walk(file).run(JsonNode::parse(text, file.file, limits));
}

}  // namespace samestep
