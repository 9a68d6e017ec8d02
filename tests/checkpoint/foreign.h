// What tests of foreign files share: slices made of text, the samples, a scratch folder.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/containers/file_slice.h"

namespace samestep::foreign {

inline FileSlice slice_of(std::string text, const std::string& file = "test") {
  auto owner = std::make_shared<std::string>(std::move(text));
  const auto* data = reinterpret_cast<const std::byte*>(owner->data());
  return FileSlice{file, std::span<const std::byte>(data, owner->size()), 0, owner};
}

/// `tests/samples/<name>` ("handed/safetensors-basic").
inline std::filesystem::path sample(const std::string& name) {
  return std::filesystem::path(SAMESTEP_TEST_DATA) / "samples" / name;
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

/// A folder that removes itself.
class Scratch {
 public:
  Scratch() {
    std::string pattern = std::filesystem::temp_directory_path() / "samestep-test-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace samestep::foreign
