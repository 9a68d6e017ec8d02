#include "checkpoint/formats/numpy_dtype.h"

#include <charconv>

namespace samestep {
namespace {

Dtype number_dtype(char kind, std::uint32_t bytes) {
  switch (kind) {
    case 'b':
      return bytes == 1 ? Dtype::boolean : Dtype::none;
    case 'i':
      return bytes == 1   ? Dtype::int8
             : bytes == 2 ? Dtype::int16
             : bytes == 4 ? Dtype::int32
             : bytes == 8 ? Dtype::int64
                          : Dtype::none;
    case 'u':
      return bytes == 1   ? Dtype::uint8
             : bytes == 2 ? Dtype::uint16
             : bytes == 4 ? Dtype::uint32
             : bytes == 8 ? Dtype::uint64
                          : Dtype::none;
    case 'f':
      return bytes == 2    ? Dtype::float16
             : bytes == 4  ? Dtype::float32
             : bytes == 8  ? Dtype::float64
             : bytes == 16 ? Dtype::text
                           : Dtype::none;
    case 'c':
      return bytes == 8    ? Dtype::complex64
             : bytes == 16 ? Dtype::complex128
             : bytes == 32 ? Dtype::text
                           : Dtype::none;
    default:
      return Dtype::none;
  }
}

}  // namespace

std::optional<NumpyDtype> parse_numpy_dtype(std::string_view text) {
  NumpyDtype type;
  if (text.starts_with('<') || text.starts_with('>') || text.starts_with('|') ||
      text.starts_with('=')) {
    type.big_endian = text.front() == '>';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  type.kind = text.front();
  text.remove_prefix(1);
  if (type.kind == 'O') {
    type.is_object = true;
    return type;
  }
  if (text.find('[') != std::string_view::npos)
    text = text.substr(0, text.find('['));  // the unit of a date
  std::uint32_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() || size > (1u << 28))
    return std::nullopt;
  type.item_bytes = type.kind == 'U' ? size * 4 : size;
  constexpr std::string_view kRawKinds = "USVaMm";
  type.dtype = kRawKinds.find(type.kind) != std::string_view::npos ? Dtype::text
                                                                   : number_dtype(type.kind, size);
  if (type.dtype == Dtype::none) return std::nullopt;
  return type;
}

}  // namespace samestep
