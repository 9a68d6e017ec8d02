// RunFolder: the names below `<run>/.samestep` (DESIGN 10).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace samestep {

/// Names only; makes and opens nothing.
class RunFolder {
 public:
  explicit RunFolder(const std::string& run) : root_(run + "/.samestep") {}

  const std::string& root() const noexcept { return root_; }
  std::string captures() const { return root_ + "/captures"; }
  std::string capture(std::int64_t step) const { return captures() + "/" + std::to_string(step); }
  std::string manifest(std::int64_t step, int rank) const {
    return capture(step) + "/" + manifest_name(rank);
  }
  std::string world(std::int64_t step) const { return capture(step) + "/capture.json"; }
  std::string logs() const { return root_ + "/log"; }
  std::string log(int rank) const {
    return logs() + "/rank-" + std::to_string(rank) + ".jsonl.zst";
  }
  std::string claim(int rank) const { return root_ + "/rank-" + std::to_string(rank) + ".claim"; }
  /// Held by who writes captures (shared) or removes some (exclusive).
  std::string store_lock() const { return root_ + "/store.lock"; }
  /// Written by rank 0 when the output folder has been copied.
  std::string copied() const { return root_ + "/copied"; }

  static std::string manifest_name(int rank) { return "rank-" + std::to_string(rank) + ".json"; }
  static std::string pack_file(int rank, int number) {
    return "rank-" + std::to_string(rank) + "." + std::to_string(number) + ".pack";
  }
  /// Relative to captures().
  static std::string pack_name(std::int64_t step, int rank, int number) {
    return std::to_string(step) + "/" + pack_file(rank, number);
  }

 private:
  std::string root_;
};

/// The number in such a name; nothing when it is none.
std::optional<std::int64_t> step_of_folder(std::string_view name) noexcept;
std::optional<int> rank_of_manifest(std::string_view name) noexcept;
std::optional<int> rank_of_log(std::string_view name) noexcept;

}  // namespace samestep
