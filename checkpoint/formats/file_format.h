// FileFormat: what a file is, by its first bytes and never by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace samestep {

enum class FileFormat : std::uint8_t {
  unknown,
  empty,
  zip,           ///< torch.save, TorchScript, libtorch, .npz, .pt2
  torch_legacy,  ///< torch.save before 1.6
  pickle,        ///< protocols 2 to 5
  npy,
  safetensors,
  json,  ///< begins with '{'
  tar,   ///< torch.save before 0.4
};

FileFormat file_format(std::span<const std::byte> bytes) noexcept;
/// "a zip archive", for messages.
const char* describe(FileFormat format) noexcept;

}  // namespace samestep
