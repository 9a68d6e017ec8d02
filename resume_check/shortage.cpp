#include "resume_check/shortage.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace samestep {
namespace {

constexpr std::uint64_t kFreeBytesMin = 1 << 20;
constexpr std::streamoff kTailBytes = 16 * 1024;
constexpr std::array<std::string_view, 5> kSigns{"No space left on device", "Disk quota exceeded",
                                                 "[Errno 28]", "[Errno 122]", "ENOSPC"};

const std::string_view* sign_in(std::string_view text) {
  const auto found = std::find_if(kSigns.begin(), kSigns.end(), [&](std::string_view sign) {
    return text.find(sign) != std::string_view::npos;
  });
  return found == kSigns.end() ? nullptr : &*found;
}

std::string tail_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTailBytes));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::string> found_shortage(const std::string& folder, const std::string& log,
                                          const std::vector<RankRecord>& ranks) {
  if (const auto* sign = sign_in(tail_of(log)))
    return "its log says \"" + std::string(*sign) + "\"";
  for (const auto& rank : ranks) {
    for (const auto& event : rank.log.events) {
      if (event.name != "recorder_error") continue;
      if (const auto* sign = sign_in(event.json)) {
        return "its records could not be written: \"" + std::string(*sign) + "\"";
      }
    }
  }
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error || !is_full(space.capacity, space.available)) return std::nullopt;
  return std::to_string(space.available) + " bytes are free in " + folder;
}

}  // namespace

std::optional<std::string> disk_shortage(const std::string& folder, const std::string& log,
                                         const std::vector<RankRecord>& ranks) noexcept {
  try {
    return found_shortage(folder, log, ranks);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool is_full(std::uint64_t capacity_bytes, std::uint64_t available_bytes) noexcept {
  return capacity_bytes > 0 && available_bytes < kFreeBytesMin;
}

}  // namespace samestep
