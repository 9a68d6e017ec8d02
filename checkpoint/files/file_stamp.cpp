#include "checkpoint/files/file_stamp.h"

#include <sys/stat.h>

#include "checkpoint/files/folder.h"
#include "schemas/error.h"

namespace samestep {
namespace {

void add_stamp(const std::string& path, const std::string& name,
               std::map<std::string, std::string>& stamps) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return;
  stamps[name] = std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) +
                 "." + std::to_string(status.st_mtim.tv_nsec) + " " + std::to_string(status.st_ino);
}

}  // namespace

std::map<std::string, std::string> stamps_below(const std::string& path) {
  std::map<std::string, std::string> stamps;
  add_stamp(path, "", stamps);
  if (!is_folder(path)) return stamps;
  try {
    for (const Entry& entry : list_tree(path))
      add_stamp(path + "/" + entry.path, entry.path, stamps);
  } catch (const Error&) {  // a folder vanished: what we have will not be seen twice
    stamps.clear();
  }
  return stamps;
}

}  // namespace samestep
