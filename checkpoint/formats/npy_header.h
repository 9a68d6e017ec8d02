// NpyHeader: the Python literal at the begin of a .npy array.
#pragma once

#include <cstdint>
#include <vector>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/numpy_dtype.h"

namespace samestep {

struct NpyHeader {
  NumpyDtype type;
  bool is_fortran = false;
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;  ///< of magic, version, length and literal: the data begin here
};

/// `begin` holds at least the header. Throws Error{corrupt} with file and offset for anything but
/// {'descr': ..., 'fortran_order': ..., 'shape': ...}, Error{unsupported} for an unknown version or
/// element type. Structured elements count as raw bytes (kind 'V').
NpyHeader read_npy_header(const FileSlice& begin);

/// Bytes of the longest header that is read.
inline constexpr std::uint64_t kNpyHeaderMax = 64 * 1024;

}  // namespace samestep
