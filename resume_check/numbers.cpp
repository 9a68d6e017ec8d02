#include "resume_check/numbers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <variant>

#include "resume_check/cast.h"

namespace samestep {
namespace {

constexpr std::uint64_t kListBytesMax = 64 * 1024;

template <typename Integer>
std::int64_t integer_at(const std::byte* at) {
  Integer number;
  std::memcpy(&number, at, sizeof number);
  return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> integer_element(Dtype dtype, const std::byte* at) {
  switch (dtype) {
    case Dtype::boolean:
    case Dtype::uint8:
      return integer_at<std::uint8_t>(at);
    case Dtype::int8:
      return integer_at<std::int8_t>(at);
    case Dtype::int16:
      return integer_at<std::int16_t>(at);
    case Dtype::int32:
      return integer_at<std::int32_t>(at);
    case Dtype::int64:
      return integer_at<std::int64_t>(at);
    case Dtype::uint16:
      return integer_at<std::uint16_t>(at);
    case Dtype::uint32:
      return integer_at<std::uint32_t>(at);
    default:
      return std::nullopt;
  }
}

std::optional<Number> number_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return Number{double(*flag), *flag};
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return Number{static_cast<double>(*integer), *integer};
  }
  if (const auto* real = std::get_if<double>(&value)) return Number{*real, std::nullopt};
  return std::nullopt;
}

bool same_number(const Number& a, const Number& b) {
  if (a.exact && b.exact) return *a.exact == *b.exact;
  if (std::isnan(a.real) || std::isnan(b.real)) return std::isnan(a.real) && std::isnan(b.real);
  return a.real == b.real && std::signbit(a.real) == std::signbit(b.real);
}

bool same_elements(const StateEntry& a, const StateEntry& b) {
  return a.field.kind == FieldKind::tensor && b.field.kind == FieldKind::tensor &&
         a.field.dtype == b.field.dtype && a.field.bytes == b.field.bytes && a.bytes && b.bytes &&
         read_all(a) == read_all(b);
}

}  // namespace

std::vector<std::byte> read_all(const StateEntry& entry, std::uint64_t bytes_max) {
  std::vector<std::byte> all;
  if (!entry.bytes || entry.bytes->size() > bytes_max) return all;
  all.reserve(entry.bytes->size());
  entry.bytes->stream(
      [&](std::span<const std::byte> piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  return all;
}

std::optional<Number> element_number(Dtype dtype, const std::byte* at) noexcept {
  if (const auto integer = integer_element(dtype, at)) {
    return Number{static_cast<double>(*integer), *integer};
  }
  if (const auto real = real_element(dtype, at)) return Number{*real, std::nullopt};
  return std::nullopt;
}

std::optional<Number> number_of(const StateEntry& entry) {
  if (entry.field.kind != FieldKind::tensor) {
    return entry.field.value ? number_of(*entry.field.value) : std::nullopt;
  }
  const auto width = element_bytes(entry.field.dtype);
  if (width == 0 || entry.field.bytes != width) return std::nullopt;
  if (entry.bytes) {
    const auto bytes = read_all(entry, width);
    return bytes.size() == width ? element_number(entry.field.dtype, bytes.data()) : std::nullopt;
  }
  return entry.field.value ? number_of(*entry.field.value) : std::nullopt;
}

std::optional<std::vector<Number>> numbers_of(const StateEntry& entry) {
  std::vector<Number> list;
  if (entry.field.kind == FieldKind::tensor) {
    const auto width = element_bytes(entry.field.dtype);
    const auto bytes = read_all(entry, kListBytesMax);
    if (width == 0 || bytes.empty()) return std::nullopt;
    for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
      const auto number = element_number(entry.field.dtype, bytes.data() + at);
      if (!number) return std::nullopt;
      list.push_back(*number);
    }
    return list;
  }
  if (!entry.field.value) return std::nullopt;
  if (const auto* numbers = std::get_if<Numbers>(&*entry.field.value)) {
    if (const auto* integers = std::get_if<0>(&numbers->values)) {
      for (const auto integer : *integers) list.push_back({static_cast<double>(integer), integer});
    } else {
      for (const auto real : std::get<1>(numbers->values)) list.push_back({real, std::nullopt});
    }
    return list;
  }
  if (const auto single = number_of(*entry.field.value)) return std::vector<Number>{*single};
  return std::nullopt;
}

bool is_octets(const StateEntry& entry) {
  if (entry.field.kind == FieldKind::tensor) return entry.field.dtype == Dtype::uint8;
  return entry.field.value && std::holds_alternative<Bytes>(*entry.field.value);
}

std::vector<std::byte> octets_of(const StateEntry& entry, std::uint64_t bytes_max) {
  if (!is_octets(entry)) return {};
  if (entry.field.kind == FieldKind::tensor) return read_all(entry, bytes_max);
  const auto& bytes = std::get<Bytes>(*entry.field.value);
  return bytes.size() <= bytes_max ? std::vector<std::byte>(bytes) : std::vector<std::byte>{};
}

bool equal_in_value(const StateEntry& source, const StateEntry& target) {
  if (is_octets(source) && is_octets(target)) return octets_of(source) == octets_of(target);
  if (same_elements(source, target)) return true;
  const bool both_tensors =
      source.field.kind == FieldKind::tensor && target.field.kind == FieldKind::tensor;
  const auto a = number_of(source), b = number_of(target);
  if (a && b) return same_number(*a, *b);
  if (both_tensors || a.has_value() != b.has_value()) return false;
  const auto left = numbers_of(source), right = numbers_of(target);
  if (!left || !right || left->size() != right->size()) return false;
  for (std::size_t i = 0; i < left->size(); ++i) {
    if (!same_number((*left)[i], (*right)[i])) return false;
  }
  return true;
}

}  // namespace samestep
