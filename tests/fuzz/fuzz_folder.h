// A checkpoint folder of which one file is the input.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "checkpoint/folder.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace samestep::fuzz {

/// A copy of tests/samples/handed/<sample> that lives as long as the program.
class FuzzFolder {
 public:
  FuzzFolder(const char* sample, const char* file) : file_(folder_ / file) {
    std::filesystem::copy(test_data(std::string("samples/handed/") + sample), folder_.path(),
                          std::filesystem::copy_options::recursive);
    std::filesystem::remove(folder_ / "sample.json");
  }

  /// Puts the input in its place and looks at the folder.
  Folder with(const std::uint8_t* data, std::size_t size) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return Folder(folder_.path());
  }

 private:
  TemporaryFolder folder_;
  std::string file_;
};

}  // namespace samestep::fuzz
