// SampleCopy: a sample checkpoint in a folder of its own, without sample.json, to be damaged.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "foreign.h"

namespace samestep::foreign {

class SampleCopy {
 public:
  /// `name` as in "handed/dcp-single-rank".
  explicit SampleCopy(const std::string& name) {
    namespace fs = std::filesystem;
    fs::copy(sample(name), path(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    for (const auto& entry : fs::recursive_directory_iterator(path()))
      if (!entry.is_symlink()) fs::permissions(entry.path(), fs::perms::owner_all);
    fs::permissions(path(), fs::perms::owner_all);
    fs::remove(path() / "sample.json");
  }

  std::filesystem::path path() const { return scratch_ / "checkpoint"; }
  void remove(const std::string& file) const { std::filesystem::remove_all(path() / file); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(path() / file, std::ios::binary) << text;
  }
  void cut(const std::string& file, std::uintmax_t bytes) const {
    std::filesystem::resize_file(path() / file, bytes);
  }
  /// Flips a bit of the byte at `offset`; negative offsets count from the end.
  void flip(const std::string& file, std::int64_t offset) const {
    std::fstream stream(path() / file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(offset, offset < 0 ? std::ios::end : std::ios::beg);
    const auto place = stream.tellg();
    const int byte = stream.get();
    stream.seekp(place);
    stream.put(static_cast<char>(byte ^ 0x10));
  }

 private:
  TemporaryFolder scratch_;
};

}  // namespace samestep::foreign
