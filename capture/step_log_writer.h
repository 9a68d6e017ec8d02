// StepLogWriter: the step log of a rank, lines of JSON in Zstandard frames (capture/STEP_LOG.md).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "schemas/digest.h"
#include "schemas/field_path.h"

namespace samestep {

/// Lines are gathered, and become readable with flush(): a frame of its own each time, so that a
/// killed process leaves a readable prefix. Not thread-safe. Throws Error{failed} when the disk is
/// full; the log then ends with its last frame. Between calls no descriptor is held: a trainer may
/// close all that it finds open, and its next file has the number of one of them.
class StepLogWriter {
 public:
  struct Head {
    std::string leg;
    int rank = 0, world_size = 1;
    std::int64_t start = 0;
  };

  /// Makes the file, with its first line.
  StepLogWriter(std::string path, const Head& head);

  void begin(std::int64_t completed, const std::string& phase, bool full,
             const std::map<std::string, Digest>& fields,
             const std::map<std::string, std::string>& values);
  void trace(std::int64_t completed, const std::string& phase, const Digest& digest);
  void loaded(const FieldPath& path, const Digest& digest, const std::string& call);
  void dead_gradients(const std::vector<std::string>& paths);
  /// `json`: a JSON object.
  void event(const std::string& name, const std::string& json);

  void flush();
  /// Writes the closing line and makes the log durable. Idempotent.
  void close();

 private:
  void add(const std::string& line);
  void append(std::span<const std::byte> frame, bool durably) const;
  void flush(bool durably);

  std::string path_;
  bool open_ = true;
  std::string pending_;
};

}  // namespace samestep
