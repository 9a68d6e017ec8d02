#include "checkpoint/containers/mapped_file.h"

#include <sys/stat.h>

#include "checkpoint/files/mapped_file.h"
#include "schemas/error.h"

namespace samestep {

FileSlice map_file(const std::string& path, const std::string& name) {
  // Looked at before it is opened: opening a device can have effects of its own.
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::unreadable, "is not a regular file, not opened", name,
                "name a checkpoint file or folder");
  }
  const auto file = MappedFile::of(open_regular_file(path), name);
  return FileSlice{name, file->bytes(), 0, file};
}

}  // namespace samestep
