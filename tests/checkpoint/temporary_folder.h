// TemporaryFolder: a folder of its own for a test, removed at its end.
#pragma once

#include <stdlib.h>

#include <stdexcept>
#include <string>

#include "checkpoint/files/folder.h"

namespace samestep {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* base = ::getenv("TMPDIR");
    path_ = std::string(base == nullptr ? "/tmp" : base) + "/samestep-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp " + path_);
  }
  ~TemporaryFolder() {
    try {
      remove_tree(path_);
    } catch (const std::exception&) {  // left behind: not this test's failure
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace samestep
