#include "checkpoint/containers/file_slice.h"

#include "schemas/error.h"

namespace samestep {

FileSlice FileSlice::part(std::uint64_t begin, std::uint64_t length,
                          const std::string& what) const {
  if (begin > bytes.size() || length > bytes.size() - begin) {
    throw Error(ErrorCode::corrupt,
                what + " reaches past the end (offset " + std::to_string(offset + begin) + ", " +
                    std::to_string(length) + " bytes; the file ends at " +
                    std::to_string(offset + bytes.size()) + ")",
                file, "the file was cut or its index is wrong: save the checkpoint again");
  }
  return FileSlice{file, bytes.subspan(begin, length), offset + begin, owner};
}

}  // namespace samestep
