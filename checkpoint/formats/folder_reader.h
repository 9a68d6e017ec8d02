// folder_reader: a checkpoint folder, of a known layout or as the union of its readable files.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/folder.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// Reads the folder `at` ("" is the root) by the first layout that knows it, else as a union.
/// Throws Error{unsupported} when nothing in it can be read, and what the files' readers throw.
Document read_folder(const Folder& folder, const std::string& at);

/// Every readable file of `at` and, by read_folder, of the folders in it. Files that hold no state
/// (code, texts, configurations, logs) and files of no known format are left aside, with a note; by
/// name they are not even opened. So are links to files beside them. `skipped` are files and
/// folders that the caller has read or judged itself.
Document read_union(const Folder& folder, const std::string& at,
                    const std::vector<std::string>& skipped = {});

/// Names of the folders directly in `at`.
std::vector<std::string> folders_in(const Folder& folder, const std::string& at);
/// Paths of the files directly in `at`.
std::vector<std::string> files_in(const Folder& folder, const std::string& at);

}  // namespace samestep
