#include "capture/cuda/device_tensor.h"

#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

struct Dimension {
  std::int64_t size, stride;
};

std::vector<Dimension> merged_dimensions(const DeviceField& field) {
  std::vector<Dimension> dimensions;
  std::int64_t row_major = 1;
  for (std::size_t i = field.shape.size(); i-- > 0;) {
    const std::int64_t size = field.shape[i];
    const std::int64_t stride = field.strides.empty() ? row_major : field.strides[i];
    row_major *= size;
    if (size == 1) continue;
    // Innermost first: this one steps over exactly the one before it.
    if (!dimensions.empty() && stride == dimensions.back().size * dimensions.back().stride) {
      dimensions.back().size *= size;
    } else {
      dimensions.push_back({size, stride});
    }
  }
  return dimensions;
}

bool is_packed(Dtype dtype) { return dtype == Dtype::quint4x2 || dtype == Dtype::quint2x4; }

DeviceField as_bytes(const DeviceField& field) {
  if (!field.strides.empty())
    throw Error(ErrorCode::unsupported, "a packed tensor with strides", "device tensor");
  DeviceField bytes = field;
  const std::int64_t each = field.dtype == Dtype::quint4x2 ? 2 : 4;
  bytes.dtype = Dtype::uint8;
  if (!bytes.shape.empty()) bytes.shape.back() = (bytes.shape.back() + each - 1) / each;
  return bytes;
}

}  // namespace

DeviceTensor device_tensor(const DeviceField& field) {
  if (is_packed(field.dtype)) return device_tensor(as_bytes(field));
  SAMESTEP_CHECK(field.strides.empty() || field.strides.size() == field.shape.size());
  DeviceTensor tensor = {};
  tensor.base = static_cast<const unsigned char*>(field.base);
  tensor.item = element_bytes(field.dtype);
  if (tensor.item == 0)
    throw Error(ErrorCode::unsupported, "elements of no size", std::string(to_string(field.dtype)));
  tensor.bytes = tensor.item;
  for (const std::int64_t size : field.shape) {
    if (size < 0) throw Error(ErrorCode::corrupt, "a tensor has a negative size", "shape");
    tensor.bytes *= static_cast<std::uint64_t>(size);
  }
  tensor.first_word = field.first_element * ((tensor.item + 7) / 8);
  const auto dimensions = merged_dimensions(field);
  if (tensor.bytes == 0 || dimensions.empty() ||
      (dimensions.size() == 1 && dimensions[0].stride == 1)) {
    return tensor;
  }
  if (dimensions.size() > kDeviceDimensionsMax)
    throw Error(ErrorCode::unsupported, "more than 8 dimensions that cannot be merged",
                "device tensor", "make it contiguous");
  tensor.dimensions = static_cast<std::uint32_t>(dimensions.size());
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Dimension& dimension = dimensions[dimensions.size() - 1 - i];
    tensor.size[i] = dimension.size;
    tensor.stride[i] = dimension.stride * static_cast<std::int64_t>(tensor.item);
  }
  return tensor;
}

}  // namespace samestep
