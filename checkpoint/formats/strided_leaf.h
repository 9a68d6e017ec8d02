// StridedLeaf: a leaf for a view into a storage, with all of its arithmetic checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/formats/document.h"
#include "checkpoint/formats/storage_source.h"

namespace samestep {

/// A view as a file describes it: nothing is believed yet.
struct StridedView {
  Dtype dtype = Dtype::none;
  std::uint32_t item_bytes = 0;  ///< of Dtype::text
  std::int64_t offset = 0;       ///< elements
  std::vector<std::int64_t> shape, strides;
  bool conjugate = false, negative = false;
};

/// A leaf that views `storage`. Throws Error{corrupt} at `where` for a negative size, stride or
/// offset, ranks that differ or pass kRankMax, products that overflow, and elements that lie
/// outside the storage.
Leaf strided_leaf(const Storage& storage, const StridedView& view, const std::string& where);

}  // namespace samestep
