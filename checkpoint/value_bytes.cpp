// The tagged bytes of values. The scheme is frozen: schemas/DIGEST.md.
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "checkpoint/field_bytes.h"

namespace samestep {
namespace {

enum class Tag : unsigned char {
  none = 0,
  boolean = 1,
  integer = 2,
  big_integer = 3,
  floating = 4,
  text = 5,
  bytes = 6,
  integers = 7,
  floats = 8,
};

class OwnedBytes final : public FieldBytes {
 public:
  explicit OwnedBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void stream(const ByteSink& sink) const override { sink(bytes_); }
  std::span<const std::byte> contiguous() const override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

static_assert(std::endian::native == std::endian::little, "canonical bytes are copied as they lie");

class Writer {
 public:
  explicit Writer(std::size_t bytes) { bytes_.reserve(bytes + 1); }
  void tag(Tag tag) { bytes_.push_back(static_cast<std::byte>(tag)); }
  void append(const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Bytes of `integer` that are needed: no last byte that only repeats the sign.
std::size_t minimal_size(const std::vector<std::byte>& integer) noexcept {
  std::size_t size = integer.size();
  while (size > 1) {
    const bool negative = (integer[size - 2] & std::byte{0x80}) != std::byte{0};
    if (integer[size - 1] != (negative ? std::byte{0xFF} : std::byte{0})) break;
    --size;
  }
  return size;
}

struct Encoder {
  Writer& out;
  void operator()(const None&) const { out.tag(Tag::none); }
  void operator()(bool value) const {
    out.tag(Tag::boolean);
    const unsigned char byte = value ? 1 : 0;
    out.append(&byte, 1);
  }
  void operator()(std::int64_t value) const {
    out.tag(Tag::integer);
    out.append(&value, sizeof value);
  }
  void operator()(const BigInt& value) const {
    const std::size_t size = minimal_size(value.bytes);
    if (size > sizeof(std::int64_t)) {
      out.tag(Tag::big_integer);
      return out.append(value.bytes.data(), size);
    }
    // One integer, one form.
    const bool negative = size > 0 && (value.bytes[size - 1] & std::byte{0x80}) != std::byte{0};
    std::int64_t small = negative ? -1 : 0;
    if (size > 0) std::memcpy(&small, value.bytes.data(), size);
    (*this)(small);
  }
  void operator()(double value) const {
    out.tag(Tag::floating);
    out.append(&value, sizeof value);
  }
  void operator()(const std::string& value) const {
    out.tag(Tag::text);
    out.append(value.data(), value.size());
  }
  void operator()(const Bytes& value) const {
    out.tag(Tag::bytes);
    out.append(value.data(), value.size());
  }
  void operator()(const Numbers& value) const {
    out.tag(std::holds_alternative<std::vector<double>>(value.values) ? Tag::floats
                                                                      : Tag::integers);
    std::visit([this](const auto& numbers) { out.append(numbers.data(), numbers.size() * 8); },
               value.values);
  }
};

std::size_t size_hint(const Value& value) noexcept {
  if (const auto* text = std::get_if<std::string>(&value)) return text->size();
  if (const auto* bytes = std::get_if<Bytes>(&value)) return bytes->size();
  return sizeof(std::int64_t);
}

}  // namespace

FieldBytesPtr value_bytes(const Value& value) {
  Writer writer(size_hint(value));
  std::visit(Encoder{writer}, value);
  return std::make_shared<OwnedBytes>(writer.take());
}

}  // namespace samestep
