// Tensors for records of tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/state_record.h"
#include "tests/checkpoint/byte_helpers.h"

namespace samestep {

/// Of one dimension.
inline Field tensor_field(const std::string& path, const std::vector<std::byte>& data,
                          Dtype dtype = Dtype::uint8) {
  Field field;
  field.path = FieldPath(path);
  field.kind = FieldKind::tensor;
  field.dtype = dtype;
  field.shape = {static_cast<std::int64_t>(data.size() / element_bytes(dtype))};
  return field;
}

/// Records `data` as a tensor of one dimension.
inline void add(StateRecord& record, const std::string& path, const std::vector<std::byte>& data,
                Dtype dtype = Dtype::uint8) {
  Field field = tensor_field(path, data, dtype);
  const auto bytes = tensor_bytes(view_of(data, dtype, field.shape, {1}), nullptr);
  record.add(std::move(field), *bytes);
}

}  // namespace samestep
