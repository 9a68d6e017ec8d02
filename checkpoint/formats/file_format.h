// FileFormat: what a file is, by its first bytes and never by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace samestep {

enum class FileFormat : std::uint8_t {
  unknown,
  empty,
  python,  ///< torch.save of any age, TorchScript, libtorch, .npz, .npy, binary pickles
  safetensors,
  json,    ///< begins with '{'
  tar,     ///< torch.save before 0.4: not read
  bundle,  ///< ours (bundle.h)
};

FileFormat file_format(std::span<const std::byte> bytes) noexcept;
}  // namespace samestep
