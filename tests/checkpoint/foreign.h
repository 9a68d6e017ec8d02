// What tests of foreign files share: slices made of text, and the samples.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/containers/file_slice.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace samestep::foreign {

inline FileSlice slice_of(std::string text, const std::string& file = "test") {
  auto owner = std::make_shared<std::string>(std::move(text));
  const auto* data = reinterpret_cast<const std::byte*>(owner->data());
  return FileSlice{file, std::span<const std::byte>(data, owner->size()), 0, owner};
}

/// `tests/samples/<name>` ("handed/safetensors-basic").
inline std::filesystem::path sample(const std::string& name) {
  return test_data("samples/" + name);
}

/// Folders below `tests/samples/<set>` whose name begins with `prefix`, sorted.
inline std::vector<std::string> samples(const std::string& set, const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(sample(set)))
    if (entry.is_directory() && entry.path().filename().string().starts_with(prefix))
      names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

using Scratch = TemporaryFolder;

}  // namespace samestep::foreign
