#include "checkpoint/formats/folder_reader.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "checkpoint/formats/document_union.h"
#include "checkpoint/formats/file_format.h"
#include "checkpoint/formats/file_reader.h"
#include "checkpoint/formats/layouts/folder_layout.h"
#include "checkpoint/formats/safetensors.h"
#include "checkpoint/formats/safetensors_folder.h"
#include "checkpoint/formats/stateless_file.h"
#include "schemas/error.h"

namespace samestep {
namespace {

/// A JSON file that may hold state of a loop that nobody knows: read when it is small and is JSON
/// at all.
bool read_json(const FileSlice& file, Document& document) {
  constexpr std::size_t kBytesMax = 4 << 20;
  if (file.bytes.size() > kBytesMax) return false;
  try {
    append_document(document, read_file(file));
    return true;
  } catch (const Error&) {
    // Some other program's JSON: only files that a known layout names must be right.
    return false;
  }
}

std::optional<Document> try_read_folder(const Folder& folder, const std::string& at);

class Union {
 public:
  Union(const Folder& folder, const std::string& at, const std::vector<std::string>& skipped)
      : folder_(folder), at_(at), skipped_(skipped.begin(), skipped.end()) {}

  /// Nothing when no file could be read.
  std::optional<Document> read() {
    document_.format = "folder";
    for (const FolderFile& entry : folder_.files())
      if (folder_name(entry.path) == at_ && !skipped_.contains(entry.path)) file(entry);
    add_safetensors(folder_, at_, tensors_, document_);
    for (const std::string& name : folders_in(folder_, at_))
      if (!skipped_.contains(join_path(at_, name))) below(join_path(at_, name));
    if (files_read_ == 0) return std::nullopt;
    return std::move(document_);
  }

 private:
  void aside(const std::string& path, const std::string& why) {
    document_.notes.push_back(printable(path) + ": " + why + ", not read");
  }

  void file(const FolderFile& entry) {
    const std::string& path = entry.path;
    if (!entry.target.empty() && folder_name(entry.target) == at_)
      return aside(path, "a link to " + printable(entry.target) + ", which is beside it");
    if (const char* why = stateless_reason(path)) return aside(path, why);
    const FileSlice slice = folder_.open(path);
    const FileFormat format = file_format(slice.bytes);
    const bool known = format != FileFormat::unknown && format != FileFormat::empty;
    if (!known && !claims_state(path))
      return aside(path, slice.bytes.empty() ? "empty" : "of no known format");
    if (format == FileFormat::safetensors) {
      tensors_.push_back(read_safetensors(slice));
    } else if (format != FileFormat::json) {
      append_document(document_, read_file(slice));
    } else if (!read_json(slice, document_)) {
      return aside(path, "JSON that is no small record of state");
    }
    ++files_read_;
  }

  void below(const std::string& at) {
    auto part = try_read_folder(folder_, at);
    if (!part) return aside(at, "holds nothing that is known");
    document_.notes.push_back(printable(at) + ": read as " + part->format);
    append_document(document_, std::move(*part));
    ++files_read_;
  }

  const Folder& folder_;
  const std::string at_;
  std::set<std::string> skipped_;
  std::vector<Safetensors> tensors_;
  std::size_t files_read_ = 0;
  Document document_;
};

/// Nothing when no file of `at` could be read.
std::optional<Document> try_read_folder(const Folder& folder, const std::string& at) {
  for (const FolderLayout& layout : layouts())
    if (layout.matches(folder, at)) return layout.read(folder, at);
  return Union(folder, at, {}).read();
}

}  // namespace

std::vector<std::string> folders_in(const Folder& folder, const std::string& at) {
  std::set<std::string> names;
  const std::string prefix = at.empty() ? "" : at + "/";
  for (const FolderFile& file : folder.files()) {
    if (!file.path.starts_with(prefix)) continue;
    const std::size_t slash = file.path.find('/', prefix.size());
    if (slash != std::string::npos)
      names.insert(file.path.substr(prefix.size(), slash - prefix.size()));
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> files_in(const Folder& folder, const std::string& at) {
  std::vector<std::string> paths;
  for (const FolderFile& file : folder.files())
    if (folder_name(file.path) == at) paths.push_back(file.path);
  return paths;
}

Document read_union(const Folder& folder, const std::string& at,
                    const std::vector<std::string>& skipped) {
  return Union(folder, at, skipped).read().value_or(Document{});
}

Document read_folder(const Folder& folder, const std::string& at) {
  if (auto document = try_read_folder(folder, at)) return std::move(*document);
  throw Error(ErrorCode::unsupported, "holds nothing that samestep can read",
              at.empty() ? folder.path() : at, "name the checkpoint's own file or folder");
}

}  // namespace samestep
