// What the tests of folder layouts share: a damaged copy of a sample, read.
#pragma once

#include <gmock/gmock.h>

#include "../../sample_copy.h"
#include "checkpoint/formats/folder_reader.h"

namespace samestep::foreign {

inline Document read_copy(const SampleCopy& copy) { return read_folder(Folder(copy.path()), ""); }

/// The document of a sample from which `files` were removed.
inline Document read_without(const std::string& sample, const std::vector<std::string>& files) {
  const SampleCopy copy(sample);
  for (const std::string& file : files) copy.remove(file);
  return read_copy(copy);
}

inline auto lacks(const std::string& file) {
  return testing::Contains(
      testing::AllOf(testing::Field(&Problem::kind, Problem::Kind::incomplete),
                     testing::Field(&Problem::where, testing::HasSubstr(file))));
}

}  // namespace samestep::foreign
