#include "resume_check/refine.h"

#include <algorithm>
#include <map>
#include <set>

#include "resume_check/grade.h"
#include "resume_check/save_marks.h"
#include "resume_check/streams.h"

namespace samestep {
namespace {

bool is_wrong_live(const FieldFate& fate) {
  return fate.fate == Fate::lost_after_save || fate.fate == Fate::overwritten ||
         fate.fate == Fate::not_applied;
}

/// The load left the file's value or the captured one; absent: nobody looked.
std::optional<bool> loaded_right(const FieldFate& fate, const StepLog& resumed) {
  const auto seen = resumed.loaded.find(fate.path.text());
  if (seen == resumed.loaded.end() || seen->second.empty()) return std::nullopt;
  return std::any_of(seen->second.begin(), seen->second.end(), [&](const Digest& digest) {
    return digest == fate.captured->field.digest ||
           (fate.match && digest == fate.match->entry->field.digest);
  });
}

Fate fate_of_saved_stream(const FieldFate& fate, const StepLog& resumed) {
  if (!fate.restored) return Fate::dropped;
  if (equal_live(*fate.captured, *fate.restored)) return Fate::kept;
  if (equal_live(*fate.match->entry, *fate.restored)) return Fate::miswritten;
  if (const auto right = loaded_right(fate, resumed))
    return *right ? Fate::overwritten : Fate::not_applied;
  // Nobody looked: only a stream that goes on from the saved one tells that it was restored.
  return fate.stream->saved_ahead.value_or(0) > 0 ? Fate::overwritten : Fate::lost_after_save;
}

void refine_streams(std::vector<FieldFate>& fates, const RankRecord& uninterrupted,
                    const RankRecord& resumed) {
  const auto completed = uninterrupted.capture ? uninterrupted.capture->completed : 0;
  const auto looks = look_at_streams(fates, uninterrupted.log, completed);
  for (auto& fate : fates) {
    const auto look = looks.find(stream_of(fate.path));
    if (look == looks.end() || !fate.captured) continue;
    fate.stream = look->second;
    if (!fate.match) continue;
    if (look->second.as_saved && !fate.match->equal) {
      fate.fate = fate_of_saved_stream(fate, resumed.log);
    } else if (is_wrong_live(fate) && look->second.saved_ahead.value_or(0) > 0) {
      fate.fate = Fate::overwritten;
    }
  }
}

/// What a trainer writes into the groups of its optimizer before each step.
bool is_hyperparameter(const FieldFate& fate) { return fate.field().role == Role::hyperparameter; }

Fate fate_of_saved_place(const FieldFate& fate, const StepLog& resumed) {
  if (!fate.restored) return Fate::dropped;
  if (equal_live(*fate.captured, *fate.restored)) return Fate::kept;
  if (equal_live(*fate.match->entry, *fate.restored)) return Fate::miswritten;
  const auto right = loaded_right(fate, resumed);
  if (!right) return Fate::lost_after_save;
  return *right ? Fate::overwritten : Fate::not_applied;
}

void refine_undeclared(std::vector<FieldFate>& fates, const RankRecord& uninterrupted,
                       const RankRecord& resumed, const Movement& movement) {
  const auto completed = uninterrupted.capture ? uninterrupted.capture->completed : 0;
  const UndeclaredMarks marks(uninterrupted.log, completed);
  for (auto& fate : fates) {
    if (!fate.captured || !fate.match || is_next_batch(fate.path)) continue;
    const bool undeclared = is_undeclared(fate.field());
    if (!undeclared && !is_hyperparameter(fate)) continue;
    const auto& filed = fate.match->entry->field.digest;
    if (!fate.match->equal && filed && marks.had(fate.path.leaf(), *filed)) {
      fate.as_saved = true;
      fate.fate = fate_of_saved_place(fate, resumed.log);
    }
    const bool as_new = fate.restored && fate.restored->field.digest &&
                        movement.at_start(fate.path.text()) == fate.restored->field.digest;
    if (undeclared && fate.fate == Fate::lost_after_save && as_new) fate.fate = Fate::not_applied;
  }
}

bool is_part(const FieldFate& fate) {
  const auto kind = fate.path.component_kind();
  return fate.captured && kind != "rng" && kind != "loop" && kind != "dataloader" &&
         kind != "gradients";
}

/// State that only a load can have brought: a constant is equal in any process, and what a schedule
/// writes into an optimizer's groups comes from there.
bool tells_of_a_load(const FieldFate& fate, const Movement& movement) {
  if (!movement.moved(fate.path.text())) return false;
  return fate.path.component_kind() != "optimizer" || fate.field().role == Role::moment ||
         fate.field().role == Role::step_counter;
}

void refine_components(std::vector<FieldFate>& fates, const RankRecord& resumed,
                       const Movement& movement) {
  // where no load call was seen at all, nobody looks for them: a trainer that records by itself
  if (resumed.log.loaded.empty()) return;
  std::set<std::string> reached = resumed.log.loaded_components;
  for (const auto& fate : fates) {
    if (!is_part(fate) || !fate.restored || !tells_of_a_load(fate, movement)) continue;
    const bool filed = fate.match && equal_live(*fate.match->entry, *fate.restored);
    if (filed || equal_live(*fate.captured, *fate.restored)) reached.insert(fate.path.component());
  }
  for (auto& fate : fates) {
    if (!is_part(fate) || !fate.match || reached.contains(fate.path.component())) continue;
    const bool refined = fate.fate == Fate::dropped || fate.fate == Fate::lost_after_save;
    if (refined) fate.fate = Fate::not_applied;
    fate.never_loaded = refined || fate.fate == Fate::not_applied;
  }
}

}  // namespace

void refine_fates(std::vector<FieldFate>& fates, const RankRecord& uninterrupted,
                  const RankRecord& resumed, const Movement& movement) {
  refine_streams(fates, uninterrupted, resumed);
  refine_undeclared(fates, uninterrupted, resumed, movement);
  refine_components(fates, resumed, movement);
}

}  // namespace samestep
