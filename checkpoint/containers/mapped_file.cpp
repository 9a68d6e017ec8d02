#include "checkpoint/containers/mapped_file.h"

#include "checkpoint/files/mapped_file.h"

namespace samestep {

FileSlice map_file(const std::string& path, const std::string& name) {
  const auto file = MappedFile::of(open_regular_file(path), name);
  return FileSlice{name, file->bytes(), 0, file};
}

}  // namespace samestep
