// Movement: which fields moved in a leg, when, and which step a value belongs to. Read from a step
// log.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "capture/run_reader.h"

namespace samestep {

class Movement {
 public:
  /// `log` need not outlive this.
  explicit Movement(const StepLog& log);

  /// The value at two boundaries of the log differs, or the field came or went.
  bool moved(const std::string& path) const;
  /// The same, of boundaries that follow `completed` or more steps.
  bool moved_since(const std::string& path, std::int64_t completed) const;
  /// Completed steps at the boundary nearest to `except` at which the field had this digest,
  /// `except` itself left out.
  std::optional<std::int64_t> step_of(const std::string& path, const Digest& digest,
                                      std::int64_t except) const;
  /// The value at the first boundary of the leg.
  std::optional<Digest> at_start(const std::string& path) const;
  std::optional<std::int64_t> first_step() const;
  /// The value at the begin after `completed` steps.
  std::optional<Digest> at(const std::string& path, std::int64_t completed) const;
  /// At each begin of both legs after `completed` steps, of which there is one, the field has the
  /// same value.
  bool agrees_after(const Movement& other, const std::string& path, std::int64_t completed) const;
  /// Some value of the field, other than the number zero, is met at a begin of either leg.
  bool meets(const Movement& other, const std::string& path) const;

 private:
  std::map<std::string, std::map<std::int64_t, Digest>> begins_;  ///< path -> completed -> digest
  std::map<std::int64_t, std::uint64_t> boundaries_;              ///< completed -> fields there
};

}  // namespace samestep
