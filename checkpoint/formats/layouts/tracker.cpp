#include "checkpoint/formats/layouts/tracker.h"

#include <algorithm>

#include "schemas/error.h"

namespace samestep {

std::string tracked_name(const Folder& folder, const std::string& path) {
  constexpr std::size_t kBytesMax = 256;
  const FileSlice slice = folder.open(path);
  std::string text(reinterpret_cast<const char*>(slice.bytes.data()),
                   std::min(slice.bytes.size(), kBytesMax + 1));
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && is_space(text.back())) text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_space));
  const auto fail = [&](const char* why) {
    throw Error(ErrorCode::corrupt, why, path,
                "the checkpoint was altered: name the folder of one step instead");
  };
  if (text.empty()) fail("is empty, so that it names no checkpoint");
  if (text.size() > kBytesMax) fail("names something longer than 256 bytes");
  const bool plain =
      text != "." && text != ".." && std::none_of(text.begin(), text.end(), [](char c) {
        return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
      });
  if (!plain) fail("names something outside its folder, not opened");
  return text;
}

}  // namespace samestep
