// Interleaved rounds of several contestants, and the JSON line of a measure.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace samestep::bench {

struct Contestant {
  std::string name;
  std::function<void()> run;
};

/// Medians over the rounds that counted.
struct Timing {
  double wall_s = 0, cpu_s = 0;
};

struct Rounds {
  std::vector<Timing> timings;  ///< of each contestant
  int counted = 0;              ///< rounds
  int disturbed =
      0;  ///< rounds among them in which other processes took more than a tenth of a core
};

/// `rounds` rounds in which each contestant runs once, each round beginning with another one. A
/// round that other processes disturbed is run again, `rounds` times in all at most; when too few
/// are left the least disturbed ones count, and `disturbed` says how many. One round before them
/// warms up.
Rounds run_rounds(const std::vector<Contestant>& contestants, int rounds);

/// Peak memory of this process in MiB above what it was at the last reset.
class PeakMemory {
 public:
  PeakMemory();
  double mib() const;

 private:
  double before_;
};

/// One measure: `ours` and `peer` in `unit`, `ratio` as the bar means it.
struct Measure {
  std::string name, unit;
  double ours = 0, peer = 0, ratio = 0, bar = 0;
  bool at_least = true;  ///< the ratio is to be at least the bar, else at most
  Timing timing;         ///< ours
  double peak_mib = 0;
  int rounds = 0, disturbed = 0;
};

/// Prints its line; returns whether it is within its bar.
bool print(const Measure& measure);

}  // namespace samestep::bench
