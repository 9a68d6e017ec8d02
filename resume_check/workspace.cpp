#include "resume_check/workspace.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "checkpoint/files/copy_tree.h"
#include "checkpoint/files/folder.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr const char* kFirstLeg = "uninterrupted";

std::string fresh_folder() {
  std::error_code error;
  const auto base = std::filesystem::temp_directory_path(error);
  std::string pattern = (error ? "/tmp" : base.string()) + "/samestep-audit-XXXXXX";
  if (!mkdtemp(pattern.data())) {
    throw Error(ErrorCode::failed,
                std::string("no work folder can be made: ") + std::strerror(errno), pattern,
                "give one with --work");
  }
  return pattern;
}

}  // namespace

Workspace Workspace::open(const std::string& path) {
  if (path.empty()) return Workspace(fresh_folder());
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).lexically_normal().string();
  if (std::filesystem::exists(absolute, error) && !is_folder(absolute)) {
    throw Error(ErrorCode::usage, "is no folder", absolute, "name another --work folder");
  }
  make_folders(absolute);
  const Workspace workspace(absolute);
  if (std::filesystem::exists(workspace.leg(kFirstLeg), error) ||
      std::filesystem::exists(workspace.branch(), error)) {
    throw Error(ErrorCode::usage, "holds an earlier audit", absolute,
                "name another --work folder, or remove that one");
  }
  if (!list_folder(absolute).empty()) {
    throw Error(ErrorCode::usage, "is not empty and is no work folder of samestep", absolute,
                "name a --work folder that is new or empty");
  }
  return workspace;
}

void Workspace::make_leg(const std::string& name, bool from_branch) const {
  make_folders(leg(name));
  if (from_branch) {
    copy_tree(branch(), out(name));
  } else {
    make_folders(out(name));
  }
}

}  // namespace samestep
