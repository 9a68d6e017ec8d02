#include "tools/named_errors.h"

#include <cctype>

#include "checkpoint/files/folder.h"

namespace samestep {
namespace {

/// Begins with `name` as a whole: no letter or digit follows.
bool begins_with(const std::string& text, const std::string& name) {
  if (name.empty() || !text.starts_with(name)) return false;
  return text.size() == name.size() || name.ends_with('/') ||
         std::isalnum(static_cast<unsigned char>(text[name.size()])) == 0;
}

std::string place(const std::string& where, const std::string& path) {
  if (begins_with(where, path) || where.starts_with('/')) return where;
  if (where.empty()) return path;
  if (is_folder(path)) return path + (path.ends_with('/') ? "" : "/") + where;
  const std::string name = name_of(path);
  return begins_with(where, name) ? path + where.substr(name.size()) : path + ": " + where;
}

}  // namespace

Error named(const Error& error, const std::string& path) {
  return {error.code(), error.message(), place(error.where(), path), error.remedy()};
}

}  // namespace samestep
