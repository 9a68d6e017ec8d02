#include "resume_check/starting_step.h"

#include <map>

#include "resume_check/grade.h"

namespace samestep {
namespace {

bool tells(const FieldFate& fate, const Movement& movement) {
  if (!fate.captured || !fate.captured->field.digest) return false;
  const auto kind = fate.path.component_kind();
  const bool state = fate.field().role == Role::parameter || fate.field().role == Role::moment ||
                     (kind == "optimizer" && fate.field().kind == FieldKind::tensor);
  return state && movement.moved(fate.path.text());
}

bool equals_file(const FieldFate& fate) {
  if (!fate.match || !fate.restored) return false;
  if (fate.match->equal) return equal_live(*fate.captured, *fate.restored);
  return equal_live(*fate.match->entry, *fate.restored);
}

}  // namespace

std::optional<WrongStart> wrong_start(const std::vector<FieldFate>& fates, const Movement& movement,
                                      std::int64_t completed) {
  std::map<std::int64_t, std::size_t> seen;
  std::size_t telling = 0, parameters = 0;
  for (const auto& fate : fates) {
    if (!tells(fate, movement)) continue;
    if (fate.fate == Fate::kept || fate.fate == Fate::rederived || fate.fate == Fate::healed ||
        equals_file(fate)) {
      return std::nullopt;
    }
    if (!fate.restored || !fate.restored->field.digest) continue;
    ++telling;
    parameters += fate.field().role == Role::parameter;
    const auto step = movement.step_of(fate.path.text(), *fate.restored->field.digest, completed);
    if (step) ++seen[*step];
  }
  for (const auto& [step, count] : seen) {
    if (parameters == 0 || count * 2 <= telling) continue;
    return WrongStart{step, std::to_string(count) + " of " + std::to_string(telling) +
                                " fields that training moves hold the values of step " +
                                std::to_string(step) + ", none those of step " +
                                std::to_string(completed)};
  }
  return std::nullopt;
}

}  // namespace samestep
