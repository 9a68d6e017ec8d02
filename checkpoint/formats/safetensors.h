// Safetensors: one file, header of JSON and then the tensors' bytes
// (https://huggingface.co/docs/safetensors).
#pragma once

#include <map>
#include <string>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"

namespace samestep {

struct Safetensors {
  Document document;  ///< one tensor leaf an entry, in header order, keys = {name}
  std::map<std::string, std::string> metadata;  ///< `__metadata__`
};

/// True when `file` begins like a safetensors file (a header length that fits and '{', or nothing
/// else that is known).
bool looks_like_safetensors(std::span<const std::byte> bytes) noexcept;

/// Reads the header; tensors are views into the file. As strict as the format's text: the header
/// begins with '{', names are unique, the tensors cover the data without hole or overlap, each is
/// as long as its shape says. Throws Error{corrupt, limit, unsupported} with file and tensor.
Safetensors read_safetensors(const FileSlice& file);

}  // namespace samestep
