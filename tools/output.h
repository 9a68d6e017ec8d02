// Output: text goes out whole or not at all.
#pragma once

#include <string>

namespace samestep {

/// Writes all of `text` to the file descriptor. Throws Error{failed} when that fails, also for a
/// closed pipe (the signal is ignored from then on). `name` is for the message ("standard output").
void write_all(int descriptor, const std::string& text, const std::string& name);

/// Replaces or makes `path` with this content, whole: a temporary file beside it, then a rename.
/// Throws Error{unreadable, failed}.
void write_file(const std::string& path, const std::string& text);

/// Throws Error{unreadable}, as write_file would, when the folder of `path` is not there or not
/// writable. Makes nothing.
void refuse_unwritable(const std::string& path);

/// Gives standard input, output and error a descriptor when the caller closed them, so that no file
/// of ours takes their number. What is written to them then fails.
void hold_standard_descriptors() noexcept;

}  // namespace samestep
