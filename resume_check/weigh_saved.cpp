#include "resume_check/weigh_saved.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "resume_check/grade.h"
#include "resume_check/numbers.h"
#include "resume_check/streams.h"

namespace samestep {
namespace {

constexpr std::array<std::string_view, 7> kCounters{
    "last_epoch", "best", "num_bad_epochs", "T_cur", "T_i", "cooldown_counter", "_step_count"};

SavedWeight needed() { return {true, {}, {}}; }
SavedWeight spared(std::string reason, std::string mark = {}) {
  return {false, std::move(reason), std::move(mark)};
}

SavedWeight weigh_stream(const FieldFate& fate, const SavedFacts& facts) {
  if (!facts.drawn) return spared("nobody drew from this stream in the recorded run", "unused");
  const bool is_private = stream_of(fate.path).starts_with("rng/generator.");
  if (!is_private || facts.goes_on) return needed();
  return spared(
      "a private generator that is not seen to go on from step to step: trainers seed such ones "
      "anew; an audit tells");
}

/// Without a log the role alone says whether a resumed run can do without it.
bool needed_by_role(const Field& field) {
  switch (field.role) {
    case Role::parameter:
    case Role::buffer:
    case Role::moment:
    case Role::step_counter:
    case Role::scaler:
    case Role::average:
      return declared(field) != "buffer_nonpersistent";
    case Role::schedule:
      return std::find(kCounters.begin(), kCounters.end(), field.path.leaf()) != kCounters.end();
    default:
      return false;
  }
}

SavedWeight weigh_attribute(const FieldFate& fate, const SavedFacts& facts) {
  const auto kind = fate.path.component_kind();
  if (kind != "ema" && kind != "grad_scaler" && facts.is_step) {
    return spared("the checkpoint's own step gives it");
  }
  if (facts.counts_begun)
    return spared("counts the steps that have begun: the file has those that were done");
  GapFacts gap;
  gap.moved = facts.moved;
  gap.reset = true;  // the worst that a resumed run can make of it
  if (weigh(fate, gap) == Weight::confirmed) return needed();
  return spared("an attribute of an object; only an audit tells whether it matters");
}

/// A small value that was found by its name alone may be another thing of that name.
bool is_found(const FieldFate& fate) {
  return fate.match &&
         (fate.match->basis != Basis::name || fate.captured->field.kind == FieldKind::tensor);
}

bool drawn_in_log(const FieldFate& fate, const std::vector<FieldFate>& fates,
                  const Movement& movement) {
  const auto stream = stream_of(fate.path);
  return std::any_of(fates.begin(), fates.end(), [&](const FieldFate& other) {
    return stream_of(other.path) == stream && movement.moved(other.path.text());
  });
}

/// To the state of the first begin after the capture.
bool goes_on_in(const StepLog& log, const StateEntry& stream, std::int64_t completed) {
  for (const auto& begin : log.begins) {
    if (begin.completed <= completed || begin.phase != "begin") continue;
    const auto found = begin.fields.find(stream.field.path.text());
    return found != begin.fields.end() && goes_on_to(stream, found->second);
  }
  return false;
}

bool is_whole(const std::optional<Number>& number, std::int64_t value) {
  return number && number->exact == value;
}

std::vector<const StateEntry*> captured_stream(const std::string& stream,
                                               const std::vector<FieldFate>& fates) {
  std::vector<const StateEntry*> fields;
  for (const auto& fate : fates) {
    if (stream_of(fate.path) != stream) continue;
    fields.insert(fate.path.text() == stream ? fields.begin() : fields.end(), fate.captured);
  }
  return fields;
}

}  // namespace

SavedFacts saved_facts_of(const FieldFate& fate, const std::vector<FieldFate>& fates,
                          const Movement& movement, const RankRecord& rank,
                          std::optional<std::int64_t> checkpoint_step) {
  const StepLog& log = rank.log;
  const auto completed = rank.capture ? rank.capture->completed : 0;
  SavedFacts facts;
  const auto& path = fate.path.text();
  facts.logged = log.begins.size() > 1;
  facts.moved = movement.moved(path);
  facts.as_made = facts.logged && movement.first_step() == 0 &&
                  movement.at_start(path) == fate.captured->field.digest;
  const auto number = number_of(*fate.captured);
  facts.is_step = number && number->exact && checkpoint_step && *number->exact == *checkpoint_step;
  facts.counts_begun = fate.match && is_whole(number, completed + 1) &&
                       is_whole(number_of(*fate.match->entry), completed);
  if (const auto stream = stream_of(fate.path); !stream.empty()) {
    const auto seeded = just_seeded(captured_stream(stream, fates));
    facts.drawn = facts.logged ? drawn_in_log(fate, fates, movement) : !seeded.value_or(false);
    facts.goes_on = stream == path && goes_on_in(log, *fate.captured, completed);
  }
  return facts;
}

SavedWeight weigh_saved(const FieldFate& fate, const SavedFacts& facts) {
  const auto kind = fate.path.component_kind();
  const auto how = declared(fate.field());
  if (kind == "rng") return weigh_stream(fate, facts);
  if (how == "frame")
    return spared("a local variable of the training loop, which a resumed run sets itself",
                  "frame");
  if (kind == "dataloader") return spared("a position inside a loader, which resumed runs skip to");
  if (kind == "gradients") {
    if (fate.captured && is_all_zero(*fate.captured))
      return spared("zeros: as none for a parameter that something is added to");
    return facts.logged ? needed()
                        : spared("whether it is cleared before its use is not known without a log");
  }
  if (facts.as_made && !is_found(fate)) return spared("as any new run makes it", "constant");
  if (how == "attribute") return weigh_attribute(fate, facts);
  if (!facts.logged && !needed_by_role(fate.field())) {
    return spared("often made anew by the trainer; without the run's log that is not known");
  }
  return needed();
}

}  // namespace samestep
