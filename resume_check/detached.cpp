#include "resume_check/detached.h"

#include "resume_check/grade.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

std::string count_of(const StateEntry& entry) {
  const auto& value = entry.field.value;
  const auto* whole = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  return count_text(static_cast<std::uint64_t>(whole ? *whole : 0), "tensor");
}

Finding finding_of(const FieldFate& fate) {
  Finding finding;
  finding.field = fate.path.text();
  finding.component = fate.path.component();
  finding.rank = fate.rank;
  finding.role = Role::parameter;
  finding.fate = Fate::not_applied;
  finding.marks = {"detached"};
  const bool resumed = fate.restored != nullptr;
  finding.evidence.push_back(
      std::string(resumed ? "in the resumed run" : "in the uninterrupted run alone") +
      " it steps " + count_of(resumed ? *fate.restored : *fate.captured) +
      " that no module holds: the model's parameters were replaced after it was built "
      "(load_state_dict with assign=True, a module made anew), and are not trained");
  finding.evidence.emplace_back(
      "build the optimizer after the model is loaded, or load in place; then load its state");
  finding.captured = side_of(fate.captured);
  finding.restored = side_of(fate.restored);
  return finding;
}

}  // namespace

bool is_detachment(const Field& field) { return declared(field) == "detached"; }

std::vector<WeighedFinding> detachments(const std::vector<FieldFate>& fates) {
  std::vector<WeighedFinding> found;
  for (const FieldFate& fate : fates)
    if (is_detachment(fate.field()) && !fate.captured != !fate.restored)
      found.push_back({finding_of(fate), Weight::confirmed, false});
  return found;
}

}  // namespace samestep
