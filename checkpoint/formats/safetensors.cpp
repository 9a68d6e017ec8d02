#include "checkpoint/formats/safetensors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "checkpoint/formats/tensor_leaf.h"
#include "schemas/error.h"
#include "schemas/json/node.h"

namespace samestep {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kHeaderBytesMax = 100'000'000;  // as the safetensors library
constexpr std::size_t kHeaderNodesMax = 2'000'000;      // some 200 000 tensors

std::uint64_t header_length(std::span<const std::byte> bytes) noexcept {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return length;
}

/// The names that safetensors gives to torch's dtypes. F6 types have no torch counterpart.
std::optional<Dtype> dtype_of(std::string_view name) {
  static const std::map<std::string_view, Dtype> kNames = {{"BOOL", Dtype::boolean},
                                                           {"U8", Dtype::uint8},
                                                           {"I8", Dtype::int8},
                                                           {"I16", Dtype::int16},
                                                           {"U16", Dtype::uint16},
                                                           {"I32", Dtype::int32},
                                                           {"U32", Dtype::uint32},
                                                           {"I64", Dtype::int64},
                                                           {"U64", Dtype::uint64},
                                                           {"F16", Dtype::float16},
                                                           {"BF16", Dtype::bfloat16},
                                                           {"F32", Dtype::float32},
                                                           {"F64", Dtype::float64},
                                                           {"C64", Dtype::complex64},
                                                           {"F8_E4M3", Dtype::float8_e4m3fn},
                                                           {"F8_E5M2", Dtype::float8_e5m2},
                                                           {"F8_E8M0", Dtype::float8_e8m0fnu},
                                                           {"F8_E4M3FNUZ", Dtype::float8_e4m3fnuz},
                                                           {"F8_E5M2FNUZ", Dtype::float8_e5m2fnuz},
                                                           {"F4", Dtype::float4_e2m1fn_x2}};
  const auto place = kNames.find(name);
  return place == kNames.end() ? std::nullopt : std::optional(place->second);
}

/// One tensor's entry in the header.
struct Entry {
  std::string name;
  Dtype dtype = Dtype::none;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

class Reader {
 public:
  explicit Reader(const FileSlice& file) : file_(file) {}

  Safetensors read() {
    const JsonNode header = parse(header_text());
    if (!header.is_object()) fail("has a header that is no JSON object");
    for (const JsonNode& member : header.items()) {
      if (member.key() == "__metadata__")
        metadata(member);
      else
        entries_.push_back(entry(member));
    }
    require_cover();
    result_.document.format = "safetensors";
    for (const Entry& entry : entries_) add(entry);
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::corrupt) const {
    throw Error(code, message, file_.file, "the file was cut or altered: restore it or save again");
  }
  [[noreturn]] void fail_at(const std::string& tensor, const std::string& message,
                            ErrorCode code = ErrorCode::corrupt) const {
    fail("tensor \"" + printable(tensor) + "\" " + message, code);
  }

  FileSlice header_text() {
    if (file_.bytes.size() < kLengthBytes) fail("is shorter than 8 bytes: not a safetensors file");
    const std::uint64_t length = header_length(file_.bytes);
    if (length > kHeaderBytesMax)
      fail("claims a header of " + std::to_string(length) + " bytes (at most " +
               std::to_string(kHeaderBytesMax) + ")",
           ErrorCode::limit);
    data_ = file_.part(kLengthBytes, file_.bytes.size() - kLengthBytes, "data");
    FileSlice text = data_.part(0, length, "the header of " + std::to_string(length) + " bytes");
    if (length == 0 || text.bytes[0] != std::byte{'{'})
      fail("has a header that does not begin with '{' (offset 8)");
    data_ = data_.part(length, data_.bytes.size() - length, "data");
    return text;
  }

  JsonNode parse(const FileSlice& text) const {
    const std::string_view characters(reinterpret_cast<const char*>(text.bytes.data()),
                                      text.bytes.size());
    JsonLimits limits;
    limits.text_bytes = kHeaderBytesMax;
    limits.nodes = kHeaderNodesMax;
    return JsonNode::parse(characters, file_.file, limits);
  }

  void metadata(const JsonNode& node) {
    if (!node.is_object()) fail("__metadata__ is no JSON object");
    for (const JsonNode& member : node.items()) {
      if (!member.is_string())
        fail("__metadata__ \"" + printable(member.key()) + "\" is no string");
      result_.metadata[member.key()] = member.as_string();
    }
  }

  Entry entry(const JsonNode& node) const {
    const std::string& name = node.key();
    if (!node.is_object()) fail_at(name, "has an entry that is no JSON object");
    const auto dtype = node.find("dtype"), shape = node.find("shape"),
               offsets = node.find("data_offsets");
    if (!dtype || !shape || !offsets) fail_at(name, "lacks dtype, shape or data_offsets");
    Entry entry{name, known_dtype(name, *dtype), dimensions(name, *shape), 0, 0};
    const auto pair = unsigned_numbers(name, "data_offsets", *offsets);
    if (pair.size() != 2) fail_at(name, "has data_offsets that are no pair");
    entry.begin = pair[0];
    entry.end = pair[1];
    if (entry.begin > entry.end) fail_at(name, "begins after its end");
    if (entry.end > data_.bytes.size())
      fail_at(name, "reaches past the end of the file (offset " + std::to_string(entry.end) +
                        " of " + std::to_string(data_.bytes.size()) + " bytes of data)");
    if (entry.dtype == Dtype::float4_e2m1fn_x2) halve_last(entry);
    const auto bytes = tensor_byte_count(entry.dtype, entry.shape);
    if (!bytes) fail_at(name, "has a shape whose size overflows");
    if (*bytes != entry.end - entry.begin)
      fail_at(name, "is " + std::to_string(*bytes) + " bytes by its shape and " +
                        std::to_string(entry.end - entry.begin) + " by its offsets");
    return entry;
  }

  Dtype known_dtype(const std::string& name, const JsonNode& node) const {
    if (!node.is_string()) fail_at(name, "has a dtype that is no string");
    const auto dtype = dtype_of(node.as_string());
    if (!dtype)
      fail_at(name, "has the unknown dtype \"" + printable(node.as_string()) + "\"",
              ErrorCode::unsupported);
    return *dtype;
  }

  std::vector<std::uint64_t> unsigned_numbers(const std::string& name, const char* what,
                                              const JsonNode& node) const {
    if (!node.is_array()) fail_at(name, std::string("has ") + what + " that is no array");
    if (node.size() > kRankMax) fail_at(name, "has more than 64 dimensions", ErrorCode::limit);
    std::vector<std::uint64_t> numbers;
    for (const JsonNode& item : node.elements()) {
      if (!item.is_integer())
        fail_at(name, std::string("has ") + what + " with something that is no integer");
      numbers.push_back(item.as_unsigned());
    }
    return numbers;
  }

  std::vector<std::int64_t> dimensions(const std::string& name, const JsonNode& node) const {
    std::vector<std::int64_t> shape;
    for (const std::uint64_t number : unsigned_numbers(name, "a shape", node)) {
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        fail_at(name, "has a dimension beyond 63 bits");
      shape.push_back(static_cast<std::int64_t>(number));
    }
    return shape;
  }

  /// F4 shapes count four-bit elements, torch's dtype counts pairs of them.
  void halve_last(Entry& entry) const {
    if (entry.shape.empty() || entry.shape.back() % 2 != 0)
      fail_at(entry.name, "has four-bit elements that do not fill bytes", ErrorCode::unsupported);
    entry.shape.back() /= 2;
  }

  /// The tensors cover the data: sorted by offset, each begins where the one before it ends.
  void require_cover() const {
    std::vector<const Entry*> order;
    for (const Entry& entry : entries_) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
      return std::tie(a->begin, a->end) < std::tie(b->begin, b->end);
    });
    std::uint64_t end = 0;
    for (const Entry* entry : order) {
      if (entry->begin < end) fail_at(entry->name, "overlaps the tensor before it");
      if (entry->begin > end)
        fail_at(entry->name,
                "begins after a hole of " + std::to_string(entry->begin - end) + " bytes");
      end = entry->end;
    }
    if (end != data_.bytes.size())
      fail("has " + std::to_string(data_.bytes.size() - end) +
           " bytes after the last tensor (offset " + std::to_string(data_.offset + end) + ")");
  }

  void add(const Entry& entry) {
    const FileSlice bytes = data_.part(entry.begin, entry.end - entry.begin, entry.name);
    Leaf leaf = tensor_leaf(bytes, entry.dtype, entry.shape);
    leaf.source = {file_.file, {{SourceKey::Kind::string, entry.name}}};
    result_.document.leaves.push_back(std::move(leaf));
    result_.document.extents.push_back(
        {file_.file, bytes.offset, bytes.bytes.size(), std::nullopt, entry.name});
  }

  const FileSlice& file_;
  FileSlice data_;
  std::vector<Entry> entries_;
  Safetensors result_;
};

}  // namespace

bool looks_like_safetensors(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() <= kLengthBytes) return false;
  const std::uint64_t length = header_length(bytes);
  return length > 0 && length <= kHeaderBytesMax && bytes[kLengthBytes] == std::byte{'{'};
}

Safetensors read_safetensors(const FileSlice& file) { return Reader(file).read(); }

}  // namespace samestep
