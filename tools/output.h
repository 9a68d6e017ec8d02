// Output: text goes out whole or not at all.
#pragma once

#include <string>

namespace samestep {

/// Writes all of `text` to the file descriptor. Throws Error{failed} when that fails, also for a
/// closed pipe (the signal is ignored from then on). `name` is for the message ("standard output").
void write_all(int descriptor, const std::string& text, const std::string& name);

/// Replaces or makes `path` with this content, whole. A link stays one: what it points to is
/// replaced. Into a device or a pipe it is written as it comes; the reader of a FIFO is waited for,
/// `wait_ms_max` at most. Throws Error as WholeFile does.
void write_file(const std::string& path, const std::string& text, int wait_ms_max = 5000);

/// Throws Error{unreadable}, as write_file would, when the folder of `path` is not there or not
/// writable, or `path` is a folder or a circle of links. Makes nothing.
void refuse_unwritable(const std::string& path);
/// Throws Error{usage} when `path` is a file with something in it that is no report of ours: most
/// likely somebody's checkpoint.
void refuse_overwriting(const std::string& path);

/// Gives standard input, output and error a descriptor when the caller closed them, so that no file
/// of ours takes their number. What is written to them then fails.
void hold_standard_descriptors() noexcept;

}  // namespace samestep
