// FolderLayout: a known way to lay out a checkpoint folder. Each has its own file here.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/folder.h"
#include "checkpoint/formats/document.h"

namespace samestep {

struct FolderLayout {
  bool (*matches)(const Folder& folder, const std::string& at);
  Document (*read)(const Folder& folder, const std::string& at);
};

/// In the order in which they are asked: what holds others comes first.
const std::vector<FolderLayout>& layouts();

}  // namespace samestep
