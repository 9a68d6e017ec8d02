// Workspace: the folder in which the legs of one audit live.
#pragma once

#include <string>

namespace samestep {

class Workspace {
 public:
  /// `path` empty: a fresh folder below the system's temporary folder. Throws Error{usage} when
  /// `path` holds an earlier audit or anything else, or is no folder, Error{failed, unreadable}
  /// when it cannot be made.
  static Workspace open(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  std::string leg(const std::string& name) const { return path_ + "/" + name; }
  std::string out(const std::string& name) const { return leg(name) + "/out"; }
  std::string run(const std::string& name) const { return leg(name) + "/run"; }
  std::string branch() const { return path_ + "/branch"; }

  /// Makes the folder of a leg with an empty out/, or with a copy of the branch as out/.
  void make_leg(const std::string& name, bool from_branch) const;

 private:
  explicit Workspace(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace samestep
