// Prune: removes the captures of a run that nobody wants, and the blobs that no capture needs.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace samestep {

struct PruneChoice {
  std::set<std::int64_t> steps;      ///< captures to keep
  std::optional<std::int64_t> last;  ///< so many of the last complete ones, too
  bool dry_run = false;              ///< only say what would be done
  int wait_ms_max = 10'000;          ///< for writers to end
  /// Nothing chosen: all captures stay.
  bool keeps_all() const noexcept { return steps.empty() && !last; }
};

/// What became of a pack.
struct PrunedPack {
  enum class Fate : std::uint8_t {
    kept,
    rewritten,  ///< what is needed of it stands in another pack
    removed,
  };
  std::string name;  ///< relative to the captures folder
  Fate fate = Fate::kept;
  std::uint64_t bytes = 0, bytes_needed = 0;
};

struct PruneOutcome {
  std::vector<std::int64_t> kept, removed;
  std::vector<PrunedPack> packs;  ///< by name
  std::uint64_t leftovers = 0;    ///< files that killed writers had left
  std::uint64_t bytes_freed = 0;
  std::vector<std::string> notes;
};

/// Keeps, beside what is chosen, captures without capture.json that are newer than all complete
/// ones: a rank may still be writing. Writers are waited for and kept out; readers need not be: who
/// has read a manifest goes on reading. Killed at any point it leaves all kept captures whole, and
/// the next prune removes the rest: packs that hold kept blobs are copied first (each blob checked
/// against its digest; a damaged one stays where it is), then manifests are replaced, and only then
/// is anything removed, of a capture its capture.json first.
/// Throws Error{not_found} when there is no run or no such step, Error{corrupt} when a manifest to
/// be kept is damaged or missing, Error{failed, unreadable} when files cannot be written; nothing
/// that is kept is harmed then.
PruneOutcome prune_run(const std::string& run, const PruneChoice& choice);

std::string_view to_string(PrunedPack::Fate fate) noexcept;

}  // namespace samestep
