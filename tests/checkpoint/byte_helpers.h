// Bytes in tests: what a field streams, floats as bytes, whole small files.
#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "checkpoint/field_bytes.h"

namespace samestep {

/// All that `bytes` streams, in one piece.
inline std::vector<std::byte> streamed(const FieldBytes& bytes) {
  std::vector<std::byte> all;
  bytes.stream([&all](std::span<const std::byte> piece) {
    all.insert(all.end(), piece.begin(), piece.end());
  });
  return all;
}

template <typename T>
std::vector<T> streamed_as(const FieldBytes& bytes) {
  const auto all = streamed(bytes);
  std::vector<T> values(all.size() / sizeof(T));
  if (!all.empty()) std::memcpy(values.data(), all.data(), values.size() * sizeof(T));
  return values;
}

template <typename T>
TensorView view_of(const std::vector<T>& data, Dtype dtype, std::vector<std::int64_t> shape,
                   std::vector<std::int64_t> strides, std::size_t first = 0) {
  TensorView view;
  if (!data.empty()) view.base = reinterpret_cast<const std::byte*>(data.data() + first);
  view.dtype = dtype;
  view.shape = std::move(shape);
  view.strides = std::move(strides);
  return view;
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Bytes 7 i + i / 251, as in schemas/DIGEST.md.
inline std::vector<std::byte> ramp(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 7 + i / 251) & 255);
  return bytes;
}

}  // namespace samestep
