// ExpandNumpy: what NumPy's arrays, scalars and dtypes in a pickle are.
#pragma once

#include "checkpoint/formats/numpy_dtype.h"
#include "checkpoint/formats/pickle_view.h"

namespace samestep {

/// Arrays become tensor leaves, scalars values, dtypes text. False when `id` is something else.
bool expand_numpy(const PickleView& view, pickle::NodeId id, Expansion& out);

/// A leaf over the elements of an array; `is_fortran`: column-major. Throws Error{corrupt} at
/// `where` unless `data` is exactly as long as dtype and shape say.
Leaf array_leaf(const FileSlice& data, const NumpyDtype& type, std::vector<std::int64_t> shape,
                bool is_fortran, const std::string& where);

}  // namespace samestep
