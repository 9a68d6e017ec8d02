// NumpyDtype: NumPy's element types, from the text that .npy files and pickles use ("<f4", "|V12").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schemas/dtype.h"

namespace samestep {

struct NumpyDtype {
  Dtype dtype = Dtype::none;  ///< Dtype::text for text, raw, structured and date elements
  std::uint32_t item_bytes = 0;
  bool big_endian = false;
  bool is_object = false;  ///< elements are Python objects
  char kind = 0;           ///< NumPy's kind character ('f', 'U', 'V', ...)
};

/// `text` is a kind and a size with or without an order ("f8", "<U2", ">i4", "|b1", "O"); nothing
/// for anything else.
std::optional<NumpyDtype> parse_numpy_dtype(std::string_view text);

}  // namespace samestep
