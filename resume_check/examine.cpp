#include "resume_check/examine.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "resume_check/contract_check.h"
#include "resume_check/coverage.h"
#include "resume_check/ignore_list.h"
#include "resume_check/refine.h"
#include "schemas/check.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

/// What the file says of the place in the data, and nobody took, is told beside the batch.
void name_unread_places(const std::vector<std::string>& unwatched,
                        std::vector<WeighedFinding>& gaps) {
  constexpr std::size_t kNamesMax = 4;
  std::string names;
  std::size_t count = 0;
  for (const std::string& path : unwatched) {
    const auto kind = FieldPath(path).component_kind();
    if ((kind == "loop" || kind == "dataloader") && count++ < kNamesMax)
      names += (names.empty() ? "" : ", ") + path;
  }
  if (count > kNamesMax) names += " and " + count_text(count - kNamesMax, "other");
  if (count == 0) return;
  for (WeighedFinding& gap : gaps)
    if (is_next_batch(FieldPath(gap.finding.field)))
      gap.finding.evidence.push_back("in the file, and taken by nothing that was seen live: " +
                                     names);
}

/// Averaged weights part only after what counts for them was lost, and long before they are used.
bool is_average(const Field& field) {
  return field.kind == FieldKind::tensor && field.path.component_kind() == "ema";
}

/// State that must stay equal for steps to be called the same; other attributes, frames and loader
/// internals are evidence.
bool is_durable(const Field& field) {
  if (is_next_batch(field.path)) return true;
  const auto how = declared(field);
  const bool kind = how == "parameter" || how == "buffer" || how == "buffer_nonpersistent" ||
                    how == "state_dict" || how == "rng" ||
                    (how == "attribute" && is_average(field));
  return kind && field.path.component_kind() != "dataloader" && field.kind != FieldKind::opaque &&
         !ignored_by(field);
}

std::set<std::string> stable_fields(const std::vector<FieldFate>& fates,
                                    const std::set<std::string>& differing) {
  std::set<std::string> stable;
  for (const auto& fate : fates) {
    const auto& path = fate.path.text();
    if (fate.captured && !differing.contains(path) && is_durable(fate.field())) stable.insert(path);
  }
  return stable;
}

/// Where in a step a boundary lies, in the order of causes.
int place_in_step(const Boundary& boundary) {
  constexpr std::array kPhases = {"begin", "batch", "forward", "loss", "grad", "optimizer"};
  const std::string_view phase = boundary.phase;
  const auto found = std::ranges::find(kPhases, phase.substr(0, phase.find(':')));
  return static_cast<int>(found - kPhases.begin());
}

bool is_earlier(const Boundary& a, const Boundary& b) {
  return std::pair(a.step, place_in_step(a)) < std::pair(b.step, place_in_step(b));
}

void merge(const StepsComparison& rank, bool first, StepsComparison& all) {
  all.steps = first ? rank.steps : std::min(all.steps, rank.steps);
  all.boundaries += rank.boundaries;
  all.batches_differ = all.batches_differ || rank.batches_differ;
  all.moved = all.moved || rank.moved;
  for (const auto& entry : rank.not_compared) {
    auto& list = all.not_compared;
    if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
  }
  if (!rank.divergence) return;
  if (!all.divergence) {
    all.divergence = rank.divergence;
    return;
  }
  const auto folded = all.divergence->folded + rank.divergence->folded + 1;
  // What ranks share spreads a difference: the rank that parts first has the cause.
  if (is_earlier(rank.divergence->first, all.divergence->first)) all.divergence = rank.divergence;
  all.divergence->folded = folded;
}

void examine_rank(const Trial& trial, std::size_t index, const std::set<std::string>& unstable,
                  std::vector<Alignment>& alignments, Examination& result) {
  const auto &before = trial.uninterrupted[index], &after = trial.resumed[index];
  SAMESTEP_CHECK(before.rank == after.rank && before.capture && after.capture);
  alignments.push_back(align(before.tree, trial.checkpoint, before.rank));
  const Movement movement(before.log), resumed_movement(after.log);
  auto fates = fates_of(before, alignments.back(), after);
  refine_fates(fates, before, after, movement);
  if (!result.wrong_start) result.wrong_start = wrong_start(fates, movement, trial.at);

  const auto witnesses = witnesses_of(before, after, movement, trial.uninterrupted);
  auto search =
      find_gaps(fates, witnesses, {movement, resumed_movement, unstable}, trial.checkpoint);
  for (const auto& [rule, count] : search.ignored) result.coverage.ignored[rule] += count;
  std::move(search.gaps.begin(), search.gaps.end(), std::back_inserter(result.gaps));
  cover_fields(fates, result.coverage);
  result.coverage.ranks_heard.push_back(before.rank);

  result.stable.push_back(stable_fields(fates, search.differing));
  const StepsQuestion question{before.rank,          trial.at, trial.steps,
                               result.stable.back(), false,    search.differing};
  merge(compare_steps(before.log, after.log, question), index == 0, result.steps);
  auto breaches = breaches_between(before.capture->contract, after.capture->contract, before.rank);
  std::move(breaches.begin(), breaches.end(), std::back_inserter(result.breaches));
}

}  // namespace

Examination examine(const Trial& trial, const std::set<std::string>& unstable) {
  SAMESTEP_CHECK(trial.uninterrupted.size() == trial.resumed.size());
  Examination result;
  std::vector<Alignment> alignments;
  for (std::size_t i = 0; i < trial.uninterrupted.size(); ++i) {
    examine_rank(trial, i, unstable, alignments, result);
  }
  auto& coverage = result.coverage;
  cover_left_out(trial.uninterrupted, trial.resumed, coverage);
  coverage.unwatched = unwatched_by_all(alignments);
  name_unread_places(coverage.unwatched, result.gaps);
  coverage.ranks_expected = static_cast<int>(trial.uninterrupted.size());
  coverage.boundaries_compared = result.steps.boundaries;
  coverage.steps_compared = result.steps.steps;
  coverage.power = result.steps.moved;
  coverage.not_compared.insert(coverage.not_compared.end(), result.steps.not_compared.begin(),
                               result.steps.not_compared.end());
  return result;
}

Repetition repetition_of(const std::vector<RankRecord>& leg,
                         const std::vector<RankRecord>& repeated,
                         const std::vector<std::set<std::string>>& stable, std::int64_t at,
                         std::int64_t steps, bool full) {
  Repetition result;
  result.compared = !leg.empty() && leg.size() == repeated.size();
  for (std::size_t i = 0; result.compared && i < leg.size(); ++i) {
    std::vector<std::string> differences;
    bool compared = false;
    if (full) {
      const StepsQuestion question{leg[i].rank, at, steps, stable[i], true, {}};
      const auto comparison = compare_steps(leg[i].log, repeated[i].log, question);
      compared = comparison.boundaries > 0;
      if (comparison.divergence) {
        const auto& first = *comparison.divergence;
        const auto where = first.first.text(leg.size() > 1);
        differences.push_back(first.first.phase == first.name ? where : where + ", " + first.name);
      }
      for (const auto& entry : leg[i].tree.entries()) {
        const auto* again = repeated[i].tree.find(entry.field.path);
        if (!again || !equal_live(entry, *again)) result.at_begin.insert(entry.field.path.text());
      }
    } else {
      differences = last_boundary_differences(leg[i].log, repeated[i].log, stable[i], compared);
    }
    result.compared = result.compared && compared;
    if (result.differences.empty()) result.differences = std::move(differences);
  }
  return result;
}

}  // namespace samestep
