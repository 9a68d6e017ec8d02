// The one exception of samestep: the job cannot be done. A finding is a value, never an Error.
#pragma once

#include <stdexcept>
#include <string>

namespace samestep {

/// Why a job could not be done. Values are pinned: they appear in JSON by name.
enum class ErrorCode {
  not_found,    ///< a path does not exist, a glob matches nothing
  unreadable,   ///< it exists but cannot be opened or read (permission, not a regular file, I/O
                ///< error)
  corrupt,      ///< bytes contradict their own format, checksum or limits
  unsupported,  ///< a format, version or feature that is recognised and not read
  limit,        ///< a bound on depth, count, length, memory or time was reached
  usage,        ///< wrong arguments, or arguments that contradict each other
  failed,       ///< a child process, or the system, failed
};

/// Text of `code` as it appears in JSON ("not_found", ...).
const char* to_string(ErrorCode code) noexcept;

/// What is wrong, where (path, offset, key), and what to do. Its text is one line:
/// "<where>: <message>; <remedy>". Control characters of hostile input are escaped in it.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string message, std::string where, std::string remedy = {});

  ErrorCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const std::string& where() const noexcept { return where_; }
  const std::string& remedy() const noexcept { return remedy_; }

 private:
  ErrorCode code_;
  std::string message_, where_, remedy_;
};

/// `text` with control characters, and bytes that are not UTF-8, as \xNN: safe for a terminal and
/// for JSON. At most `bytes_max` bytes of the input are kept; an ellipsis marks a cut.
std::string printable(const std::string& text, std::size_t bytes_max = 200);

}  // namespace samestep
