#include "resume_check/align.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "checkpoint/crew.h"
#include "resume_check/cancel.h"
#include "resume_check/cast.h"
#include "resume_check/digests.h"
#include "resume_check/grade.h"
#include "resume_check/names.h"
#include "resume_check/neighbours.h"
#include "resume_check/numbers.h"
#include "resume_check/part_pairs.h"
#include "resume_check/shards.h"
#include "resume_check/slices.h"

namespace samestep {
namespace {

bool same_bytes(const StateEntry& a, const StateEntry& b) {
  return a.field.digest && a.field.digest == b.field.digest;
}

/// Sets equal and drifted of a match with `filed`.
Match weighed(const StateEntry& live, const StateEntry& filed, Basis basis) {
  Match match{&filed, basis, same_bytes(live, filed), false, std::nullopt};
  if (!match.equal && (equal_in_value(live, filed) || equal_when_widened(live, filed))) {
    match.equal = match.drifted = true;
  }
  return match;
}

/// A tensor without elements, where the live one has some: the file keeps them elsewhere, or not at
/// all (ZeRO-3 puts such tensors in the place of parameters that it has partitioned).
bool is_placeholder(const StateEntry& filed, const StateEntry& live) {
  const bool tensors =
      live.field.kind == FieldKind::tensor && filed.field.kind == FieldKind::tensor;
  return tensors && filed.field.bytes == 0 && live.field.bytes != 0;
}

/// A tensor and something that is none may be one field when both are single numbers, both are
/// bytes, or both have as many numbers. (The shape of a parameter, under its name, is not the
/// parameter.)
bool may_be_alike(const StateEntry& one, const StateEntry& other) {
  if (number_of(one).has_value() || number_of(other).has_value())
    return number_of(one).has_value() == number_of(other).has_value();
  if ((one.field.kind == FieldKind::tensor) == (other.field.kind == FieldKind::tensor)) return true;
  if (is_octets(one) && is_octets(other)) return true;
  const auto some = numbers_of(one), others = numbers_of(other);
  return some && others && some->size() == others->size();
}

bool is_of_rank(const StateEntry& entry, int rank) {
  const auto trait = entry.field.traits.find("rank");
  return trait != entry.field.traits.end() && trait->second == std::to_string(rank);
}

/// Streams and places in the data are each rank's own: another one's part of the checkpoint is no
/// copy of this rank's, unless it is equal.
bool is_anothers(const StateEntry& entry, const std::optional<int>& rank) {
  if (!rank || !entry.field.traits.contains("rank") || is_of_rank(entry, *rank)) return false;
  const auto kind = entry.field.path.component_kind();
  return kind == "rng" || kind == "dataloader";
}

/// Naming numbers the parts of further ranks: "rng/torch.cpu#2".
std::string path_of_all_ranks(const StateEntry& entry) {
  const std::string& path = entry.field.path.text();
  return path.substr(0, path.rfind('#'));
}

/// A feed or a buffer of the trainer's own is a loader by its name; its numbers are saved wherever
/// the trainer keeps its progress.
bool agrees(const StateEntry& live, const StateEntry& filed) {
  if (component_agrees(live.field.path, filed.field.path)) return true;
  const auto kind = filed.field.path.component_kind();
  return live.field.path.component_kind() == "dataloader" && declared(live.field) == "attribute" &&
         (kind == "loop" || kind == "extra");
}

/// Inside of a dict or list that a variable of the loop holds: what was built for the save is there
/// as it is in the file, and stands for nothing.
bool lies_in_a_variable(const Field& field) {
  return declared(field) == "frame" && field.path.parts().size() > 2;
}

/// What both sides have is read where it lies bare, in the file; captures hold it compressed.
bool is_distinctive_match(const StateEntry& live, const Match& match) {
  return is_distinctive(same_bytes(live, *match.entry) && match.entry->bytes ? *match.entry : live);
}

class Aligner {
 public:
  Aligner(const StateTree& captured, const StateTree& checkpoint, std::optional<int> rank)
      : captured_(captured),
        checkpoint_(checkpoint),
        rank_(rank),
        neighbours_(checkpoint),
        parts_(pair_parts(captured, checkpoint)) {
    result_.matches.resize(captured.entries().size());
    for (const auto& [live, filed] : parts_) part_names_.insert(filed);
    for (const auto& entry : checkpoint.entries()) {
      if (rank && is_of_rank(entry, *rank)) own_.emplace(path_of_all_ranks(entry), &entry);
      if (entry.field.digest) by_digest_.emplace(*entry.field.digest, &entry);
      words_[&entry] = name_words(entry.field.path);
      by_leaf_.emplace(words_[&entry].empty() ? "" : words_[&entry].back(), &entry);
      if (const auto place = place_in_file(entry.field); !place.empty()) {
        by_place_.emplace(place, &entry);
        indexed_.insert(&entry);
      }
    }
  }

  Alignment run() {
    each([this](const auto& live) { return certain(live); });
    each([this](const auto& live) { return by_bytes(live); });
    each([this](const auto& live) { return beside_its_stream(live); });
    shards();
    slices();
    each([this](const auto& live) { return by_neighbours(live); });
    each([this](const auto& live) { return by_place_or_path(live); });
    each([this](const auto& live) { return by_value_and_name(live); });
    each([this](const auto& live) { return by_name(live); });
    for (const auto& live : captured_.entries()) {
      const auto* named = at_path(live);
      if (named && is_placeholder(*named, live)) taken_.insert(named);
    }
    for (const auto& entry : checkpoint_.entries()) {
      if (!taken_.contains(&entry)) result_.unmatched.push_back(&entry);
    }
    return std::move(result_);
  }

 private:
  using Found = std::optional<Match>;
  using Entries = std::set<const StateEntry*>;

  template <typename Pass>
  void each(Pass pass) {
    const auto& entries = captured_.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (result_.matches[i]) continue;
      result_.matches[i] = pass(entries[i]);
      if (const auto& match = result_.matches[i]) {
        taken_.insert(match->entry);
        if (!lies_in_a_variable(entries[i].field)) claimed_.insert(match->entry);
        if (match->equal && is_distinctive_match(entries[i], *match)) {
          neighbours_.learn(entries[i].field.path, match->entry->field.path);
        }
      }
    }
  }

  /// The path that the file has for a live one; empty when another part has taken its name there.
  std::string in_file(const std::string& path) const {
    const auto end = std::min(path.find('/'), path.size());
    const auto pair = parts_.find(path.substr(0, end));
    if (pair != parts_.end()) return pair->second + path.substr(end);
    return part_names_.contains(path.substr(0, end)) ? std::string() : path;
  }

  const StateEntry* at_place(const StateEntry& live) const {
    const auto trait = live.field.traits.find("place");
    if (trait == live.field.traits.end()) return nullptr;
    const auto found = by_place_.find(in_file(trait->second));
    return found == by_place_.end() ? nullptr : found->second;
  }

  /// Where the file's own order of parameters puts a slot, that is its place, whatever name a
  /// reader guessed for it.
  const StateEntry* stated(const StateEntry& live) const {
    if (const auto* placed = at_place(live)) return placed;
    const auto* named = at_path(live);
    return named && is_placeholder(*named, live) ? nullptr : named;
  }

  const StateEntry* at_path(const StateEntry& live) const {
    const auto path = in_file(live.field.path.text());
    const auto own = own_.find(path);
    const auto* named = own != own_.end() ? own->second : checkpoint_.find(FieldPath(path));
    if (named && indexed_.contains(named) && live.field.traits.contains("place")) return nullptr;
    return named;
  }

  /// Of what stated() found.
  Basis basis_of(const StateEntry& live, const StateEntry* filed) const {
    return filed == at_place(live) ? Basis::place : Basis::path;
  }

  Found certain(const StateEntry& live) const {
    const auto* filed = stated(live);
    if (!filed) return std::nullopt;
    auto match = weighed(live, *filed, basis_of(live, filed));
    const bool placed = match.basis == Basis::place;
    if (!match.equal || (placed && !is_distinctive_match(live, match))) return std::nullopt;
    return match;
  }

  Found by_bytes(const StateEntry& live) const {
    if (!live.field.digest) return std::nullopt;
    const auto [first, last] = by_digest_.equal_range(*live.field.digest);
    if (first == last || !is_distinctive(live)) return std::nullopt;
    const auto* filed = stated(live);
    const auto words = name_words(live.field.path);
    const StateEntry* best = nullptr;
    std::size_t best_score = 0;
    for (auto it = first; it != last; ++it) {
      const auto* candidate = it->second;
      // a file with names of its own that holds this under the name of another field is wrong, not
      // differently laid out
      if (filed && !indexed_.contains(filed) && captured_.find(candidate->field.path)) continue;
      const auto score = 1 + 2 * common_suffix(words, words_.at(candidate)) +
                         component_agrees(live.field.path, candidate->field.path);
      if (score > best_score) best = candidate, best_score = score;
    }
    if (!best) return std::nullopt;
    return Match{best, Basis::bytes, true, false, std::nullopt};
  }

  /// The position of a random stream and the like: in the file they lie beside the stream itself,
  /// whatever it is called there. One stream's key with another one's position is none at all.
  Found beside_its_stream(const StateEntry& live) const {
    const auto parts = live.field.path.parts();
    if (live.field.path.component_kind() != "rng" || parts.size() < 3) return std::nullopt;
    const auto* stream = captured_.find(FieldPath::of({parts[0], parts[1]}));
    if (!stream) return std::nullopt;
    const auto& match =
        result_.matches[static_cast<std::size_t>(stream - captured_.entries().data())];
    if (!match || !match->equal || !is_distinctive(*stream)) return std::nullopt;
    const auto words = name_words(live.field.path);
    const auto [first, last] = by_leaf_.equal_range(words.empty() ? "" : words.back());
    for (auto it = first; it != last; ++it)
      if (lie_together(*it->second, *match->entry))
        return weighed(live, *it->second, Basis::neighbours);
    return std::nullopt;
  }

  static bool lie_together(const StateEntry& a, const StateEntry& b) {
    const auto &one = a.field.source, &other = b.field.source;
    return one.file == other.file && one.keys.size() == other.keys.size() && !one.keys.empty() &&
           std::equal(one.keys.begin(), one.keys.end() - 1, other.keys.begin());
  }

  /// The file may keep tensors whole of which each rank holds a part.
  void shards() {
    const auto& entries = captured_.entries();
    std::vector<std::pair<std::size_t, const StateEntry*>> pairs;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto* filed = result_.matches[i] ? nullptr : stated(entries[i]);
      if (filed && may_be_shard(entries[i], *filed)) pairs.emplace_back(i, filed);
    }
    std::vector<std::optional<std::uint64_t>> places(pairs.size());
    share_work(pairs.size(), threads_to_use(), [&](std::size_t k) {
      throw_if_cancelled("alignment");
      places[k] = place_in_whole(entries[pairs[k].first], *pairs[k].second);
    });
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (!places[k]) continue;
      const auto& [i, filed] = pairs[k];
      result_.matches[i] = Match{filed, basis_of(entries[i], filed), true, false, places[k]};
      taken_.insert(filed);
    }
  }

  /// The file may keep tensors as parts of larger ones.
  void slices() {
    slices(false);
    slices(true);
  }

  /// What was found in objects and variables alone (a batch, most of all) is looked for where
  /// declared state does not explain what the file holds, which is little of it, and in state that
  /// it is a view of.
  void slices(bool of_undeclared) {
    std::vector<const StateEntry*> wanted, larger;
    const auto& entries = captured_.entries();
    std::set<std::int64_t> storages;
    std::uint64_t smallest = ~0ull;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& live = entries[i];
      if (result_.matches[i] || live.field.kind != FieldKind::tensor || !live.bytes) continue;
      if (is_undeclared(live.field) != of_undeclared || stated(live) || !is_distinctive(live))
        continue;
      wanted.push_back(&live);
      storages.insert(live.field.layout.storage);
      smallest = std::min(smallest, live.field.bytes);
    }
    if (wanted.empty()) return;
    const auto explained = of_undeclared ? explained_but_in(storages) : Entries();
    for (const auto& filed : checkpoint_.entries()) {
      if (filed.field.kind == FieldKind::tensor && filed.bytes && filed.field.bytes >= smallest &&
          !explained.contains(&filed)) {
        larger.push_back(&filed);
      }
    }
    const auto found = find_slices(wanted, larger);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto it = found.find(&entries[i]);
      if (it == found.end()) continue;
      result_.matches[i] = Match{it->second.entry, Basis::slice, true, false, it->second.byte};
      taken_.insert(it->second.entry);
    }
  }

  /// What declared state has whole, but that which lies in these storages.
  Entries explained_but_in(const std::set<std::int64_t>& storages) const {
    Entries explained;
    const auto& entries = captured_.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& match = result_.matches[i];
      const Field& field = entries[i].field;
      if (match && match->equal && !is_undeclared(field) &&
          !storages.contains(field.layout.storage))
        explained.insert(match->entry);
    }
    return explained;
  }

  Found by_neighbours(const StateEntry& live) const {
    const auto* filed = stated(live);
    if (filed && !indexed_.contains(filed)) return std::nullopt;
    const auto* beside = neighbours_.find(live.field.path);
    if (!beside || is_anothers(*beside, rank_)) return std::nullopt;
    return weighed(live, *beside, beside == filed ? Basis::place : Basis::neighbours);
  }

  Found by_place_or_path(const StateEntry& live) const {
    const auto* filed = stated(live);
    if (!filed || is_anothers(*filed, rank_)) return std::nullopt;
    return weighed(live, *filed, basis_of(live, filed));
  }

  Found by_value_and_name(const StateEntry& live) const {
    return best_named(live, [&](const StateEntry& filed, std::size_t suffix) {
      if (suffix < 2 && !agrees(live, filed)) return Found{};
      auto match = weighed(live, filed, Basis::value);
      return match.equal ? Found{match} : Found{};
    });
  }

  Found by_name(const StateEntry& live) const {
    return best_named(live, [&](const StateEntry& filed, std::size_t suffix) {
      if (claimed_.contains(&filed) || is_anothers(filed, rank_) || !agrees(live, filed)) {
        return Found{};
      }
      const bool tensors =
          live.field.kind == FieldKind::tensor && filed.field.kind == FieldKind::tensor;
      if (tensors && (suffix < 2 || live.field.shape != filed.field.shape)) return Found{};
      if (!tensors && !may_be_alike(live, filed)) return Found{};
      return Found{weighed(live, filed, Basis::name)};
    });
  }

  /// The acceptable candidate with the longest common suffix; none when two are equally good and
  /// differ.
  template <typename Accept>
  Found best_named(const StateEntry& live, Accept accept) const {
    const auto words = name_words(live.field.path);
    if (words.empty()) return std::nullopt;
    Found best;
    std::size_t best_suffix = 0;
    bool tied = false;
    const auto [first, last] = by_leaf_.equal_range(words.back());
    for (auto it = first; it != last; ++it) {
      const auto suffix = common_suffix(words, words_.at(it->second));
      auto match = accept(*it->second, suffix);
      if (!match || suffix < best_suffix) continue;
      tied = suffix == best_suffix && best && !same_bytes(*best->entry, *match->entry);
      if (suffix > best_suffix || !best) best = match;
      best_suffix = suffix;
    }
    return tied ? std::nullopt : best;
  }

  const StateTree& captured_;
  const StateTree& checkpoint_;
  const std::optional<int> rank_;
  Neighbours neighbours_;
  std::unordered_map<std::string, std::string> parts_;  ///< live component -> part of the file
  std::set<std::string> part_names_;                    ///< those parts
  std::unordered_multimap<Digest, const StateEntry*, DigestHash> by_digest_;
  std::unordered_map<std::string, const StateEntry*> by_place_;
  std::unordered_map<std::string, const StateEntry*> own_;  ///< path -> the captured rank's part
  std::unordered_map<const StateEntry*, std::vector<std::string>> words_;
  std::multimap<std::string, const StateEntry*> by_leaf_;
  Entries indexed_, taken_;
  Entries claimed_;  ///< taken by more than a copy in some variable
  Alignment result_;
};

}  // namespace

Alignment align(const StateTree& captured, const StateTree& checkpoint, std::optional<int> rank) {
  return Aligner(captured, checkpoint, rank).run();
}

}  // namespace samestep
