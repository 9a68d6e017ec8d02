#include "resume_check/evidence.h"

#include <algorithm>

#include "checkpoint/hasher.h"
#include "resume_check/cast.h"
#include "resume_check/digests.h"
#include "resume_check/grade.h"
#include "resume_check/mersenne.h"
#include "resume_check/numbers.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

constexpr int kDrawsMax = 2;

std::string words(std::uint64_t draws) {
  return std::to_string(draws) + (draws == 1 ? " draw" : " draws") + " (of 32 bits)";
}

class Gatherer {
 public:
  Gatherer(const FieldFate& fate, const Witnesses& witnesses)
      : fate_(fate), witnesses_(witnesses), path_(fate.path.text()) {}

  Evidence gather() {
    if (is_next_batch(fate_.path)) return next_batch();
    if (fate_.never_loaded) {
      add("in the file, never reached the live object: no load of " + fate_.path.component() +
              " was seen",
          "");
    }
    if (fate_.restored && fate_.captured && fate_.fate != Fate::healed) restored_value();
    if (fate_.stream && fate_.stream->as_saved) {
      saved_stream(*fate_.stream);
    } else if (fate_.as_saved) {
      add("the file holds it as it was at the save; it moved before the next step began", "");
    } else if (fate_.match && !fate_.match->equal) {
      filed_value(*fate_.match->entry);
    }
    if (fate_.fate == Fate::missing) add("the checkpoint does not hold it", "");
    if (fate_.fate == Fate::missing && !fate_.restored) add("the resumed run has none", "");
    if (fate_.fate == Fate::dropped) add("the resumed run has no place for it", "");
    return std::move(evidence_);
  }

 private:
  /// An effect: which batch it is tells how the place in the data was lost.
  Evidence next_batch() {
    const auto& moves = witnesses_.movement;
    const Digest batch =
        fate_.restored && fate_.restored->field.digest ? *fate_.restored->field.digest : Digest{};
    const auto first = moves.first_step();
    if (first && *first < witnesses_.completed && moves.at_start(path_) == batch) {
      add("is the batch that a new run begins with: the place in the data was lost", "reset");
    } else if (const auto step = moves.step_of(path_, batch, witnesses_.completed)) {
      add("is the batch that was trained on after step " + std::to_string(*step) + " already",
          "stale");
    } else {
      add("is a batch that the uninterrupted run has not seen so far: the order of the data, its "
          "place in it, or a random stream is another",
          "");
    }
    return std::move(evidence_);
  }

  void add(std::string sentence, const std::string& mark) {
    evidence_.sentences.push_back(std::move(sentence));
    auto& marks = evidence_.marks;
    if (!mark.empty() && std::find(marks.begin(), marks.end(), mark) == marks.end()) {
      marks.push_back(mark);
    }
  }

  void restored_value() {
    const StateEntry& live = *fate_.restored;
    const Digest value = live.field.digest.value_or(Digest{});
    const auto& moves = witnesses_.movement;
    const auto first = moves.first_step();
    if (first && *first < witnesses_.completed && moves.at_start(path_) == value) {
      add("equals the value at construction", "reset");
    } else if (is_zero(live)) {
      add("is zero, as made new", "reset");
    } else if (const auto step = moves.step_of(path_, value, witnesses_.completed)) {
      add("equals the value of step " + std::to_string(*step), "stale");
    }
    streams(live);
    if (const auto through = cast_between(*fate_.captured, live)) {
      add("equals the captured value cast to " + std::string(to_string(*through)), "cast");
    }
    elsewhere(live);
  }

  void streams(const StateEntry& live) {
    if (const int draws = draws_between(*fate_.captured, live)) {
      add("equals the captured stream advanced by " + count(draws), "advanced");
    } else if (const int behind = draws_between(live, *fate_.captured)) {
      add("is behind the captured stream by " + count(behind), "behind");
    } else if (fate_.stream && !fate_.stream->as_saved) {
      longer_ways(*fate_.stream);
    }
  }

  void longer_ways(const StreamLook& look) {
    if (look.restored_ahead.value_or(0) > 0) {
      add("equals the captured stream advanced by " + words(*look.restored_ahead), "advanced");
    } else if (look.restored_behind.value_or(0) > 0) {
      add("is behind the captured stream by " + words(*look.restored_behind), "behind");
    } else if (look.saved_ahead.value_or(0) > 0) {
      add("equals the saved stream advanced by " + words(*look.saved_ahead), "advanced");
    }
  }

  /// The file is right, the run went on from there: what the resumed run has is told from the file.
  void saved_stream(const StreamLook& look) {
    add(since_save(look), "");
    if (!fate_.restored || fate_.fate == Fate::kept) return;
    if (equal_live(*fate_.match->entry, *fate_.restored)) {
      add("the resumed run goes on from the save without those draws", "behind");
    } else if (look.saved_ahead) {
      add("in the resumed run it is the saved one advanced by " + words(*look.saved_ahead),
          "advanced");
    } else {
      add("in the resumed run it does not follow from the saved one: seeded anew, or never "
          "restored",
          "");
    }
  }

  static std::string count(int draws) {
    return count_text(static_cast<std::uint64_t>(draws), "draw") +
           " of an int64, as making an iterator of a DataLoader draws them";
  }

  void elsewhere(const StateEntry& live) {
    if (!live.field.digest || !is_distinctive(live)) return;
    const auto [first, last] = witnesses_.captured_values.equal_range(*live.field.digest);
    for (auto it = first; it != last; ++it) {
      if (it->second == fate_.path) continue;
      add("equals the captured value of " + it->second.text(), "permuted");
      return;
    }
    for (const auto& other : witnesses_.ranks) {
      if (other.rank == fate_.rank) continue;
      const auto* there = other.tree.find(fate_.path);
      if (there && there->field.digest == live.field.digest) {
        add("equals the captured value of rank " + std::to_string(other.rank), "rank");
        return;
      }
    }
  }

  void filed_value(const StateEntry& filed) {
    if (fate_.match->basis == Basis::name) {
      add("matched by name to " + filed.field.path.text() + " of the checkpoint", "");
    }
    if (const auto step = step_in_log(filed)) {
      evidence_.file_step = step;
      add("the checkpoint holds the value of step " + std::to_string(*step), "stale");
    } else if (const auto through = cast_between(*fate_.captured, filed)) {
      add("the checkpoint holds the value cast to " + std::string(to_string(*through)), "cast");
    } else {
      filed_elsewhere(filed);
    }
  }

  void filed_elsewhere(const StateEntry& filed) {
    if (!filed.field.digest || !is_distinctive(filed)) return;
    const auto found = witnesses_.captured_values.find(*filed.field.digest);
    if (found == witnesses_.captured_values.end()) return;
    add("the checkpoint holds the value of " + found->second.text() + " under this name",
        "permuted");
  }

  /// By digest, and by number for a value that the file keeps in another representation (a step as
  /// float).
  std::optional<std::int64_t> step_in_log(const StateEntry& filed) const {
    if (!filed.field.digest) return std::nullopt;
    auto step = witnesses_.movement.step_of(path_, *filed.field.digest, witnesses_.completed);
    const auto number = number_of(filed);
    if (step || !number || !fate_.captured) return step;
    const Field& live = fate_.captured->field;
    if (live.kind == FieldKind::tensor) {
      std::byte element[8];
      if (!store_real(live.dtype, number->real, element)) return std::nullopt;
      const std::vector<std::int64_t> packed;
      const auto bytes = tensor_bytes(
          {element, live.dtype, live.shape, std::vector<std::int64_t>(live.shape.size(), 1)},
          nullptr);
      const auto digest = digest_of(*bytes, live.dtype, live.shape).root;
      return witnesses_.movement.step_of(path_, digest, witnesses_.completed);
    }
    const Value value = number->exact ? Value(*number->exact) : Value(number->real);
    return witnesses_.movement.step_of(path_, digest_of(value).root, witnesses_.completed);
  }

  bool is_zero(const StateEntry& live) const {
    const auto number = number_of(live);
    if (number) return number->real == 0;
    if (live.field.kind != FieldKind::tensor || !live.bytes || live.field.bytes == 0) return false;
    bool zero = true;
    live.bytes->stream([&](std::span<const std::byte> piece) {
      zero = zero && std::all_of(piece.begin(), piece.end(),
                                 [](std::byte byte) { return byte == std::byte{0}; });
    });
    return zero;
  }

  const FieldFate& fate_;
  const Witnesses& witnesses_;
  const std::string path_;
  Evidence evidence_;
};

}  // namespace

Witnesses witnesses_of(const RankRecord& uninterrupted, const RankRecord& resumed,
                       const Movement& movement, const std::vector<RankRecord>& ranks) {
  Witnesses witnesses{uninterrupted,
                      resumed,
                      movement,
                      ranks,
                      uninterrupted.capture ? uninterrupted.capture->completed : 0,
                      {}};
  for (const auto& entry : uninterrupted.tree.entries()) {
    if (entry.field.digest && is_distinctive(entry)) {
      witnesses.captured_values.emplace(*entry.field.digest, entry.field.path);
    }
  }
  return witnesses;
}

Evidence evidence_of(const FieldFate& fate, const Witnesses& witnesses) {
  return Gatherer(fate, witnesses).gather();
}

std::string since_save(const StreamLook& look) {
  return "the file holds the stream as it was at the save; the live one advanced " +
         (look.since_save ? words(*look.since_save) : std::string("some draws")) +
         " since the save";
}

int draws_between(const StateEntry& from, const StateEntry& to) {
  const auto source = read_all(from, kTorchGeneratorBytes);
  const auto target = read_all(to, kTorchGeneratorBytes);
  if (source.size() != kTorchGeneratorBytes || target.size() != kTorchGeneratorBytes) return 0;
  for (int draws = 1; draws <= kDrawsMax; ++draws) {
    if (advanced_by_draws(source, draws) == target) return draws;
  }
  return 0;
}

}  // namespace samestep
