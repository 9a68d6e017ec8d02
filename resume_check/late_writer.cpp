#include "resume_check/late_writer.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "resume_check/movement.h"
#include "resume_check/numbers.h"
#include "schemas/json/node.h"

namespace samestep {
namespace {

struct Votes {
  std::map<std::int64_t, std::size_t> of_step;  ///< completed steps -> parameters of that moment
  std::size_t parameters = 0;                   ///< that training moves
  bool most(std::int64_t step) const {
    const auto found = of_step.find(step);
    return found != of_step.end() && 2 * found->second > parameters;
  }
};

Votes votes_of(const StepLog& log, const StateTree& checkpoint) {
  std::set<Digest> filed;
  for (const auto& entry : checkpoint.entries()) {
    if (entry.field.digest) filed.insert(*entry.field.digest);
  }
  const Movement movement(log);
  Votes votes;
  std::set<std::string> parameters;
  for (const auto& begin : log.begins) {
    for (const auto& [path, digest] : begin.fields) {
      if (FieldPath(path).component_kind() != "model" || !movement.moved(path)) continue;
      parameters.insert(path);
      votes.of_step[begin.completed] += filed.count(digest);
    }
  }
  votes.parameters = parameters.size();
  return votes;
}

bool is_logged(const StepLog& log, std::int64_t step) {
  return std::any_of(log.begins.begin(), log.begins.end(),
                     [&](const auto& begin) { return begin.completed == step; });
}

/// All the step counters of the optimizers, of which there are some.
bool counters_say(const StateTree& checkpoint, std::int64_t step) {
  bool some = false;
  for (const auto& entry : checkpoint.entries()) {
    const FieldPath& path = entry.field.path;
    if (path.component_kind() != "optimizer" || path.leaf() != "step") continue;
    const auto number = number_of(entry);
    if (!number || number->real != static_cast<double>(step)) return false;
    some = true;
  }
  return some;
}

/// The file is of a moment beyond all that was logged: everything in it that counts says so, and
/// none of its parameters is of a logged one.
bool is_beyond(const RankRecord& rank, const Votes& votes, const Checkpoint& checkpoint) {
  const bool none = std::ranges::all_of(votes.of_step, [](auto& vote) { return vote.second == 0; });
  return none && votes.parameters > 0 && !is_logged(rank.log, *checkpoint.step) &&
         counters_say(checkpoint.tree, *checkpoint.step);
}

}  // namespace

std::optional<std::int64_t> step_of_late_writer(const RankRecord& rank,
                                                const Checkpoint& checkpoint) {
  std::int64_t last = 0;
  for (const auto& begin : rank.log.begins) last = std::max(last, begin.completed);
  const auto end = rank.capture ? rank.capture->completed : last;
  const auto votes = votes_of(rank.log, checkpoint.tree);
  if (rank.capture && votes.most(end)) return std::nullopt;
  const bool earlier = checkpoint.step && *checkpoint.step >= 0 &&
                       (*checkpoint.step < end || (!rank.capture && *checkpoint.step == end));
  if (earlier) return checkpoint.step;
  for (const auto& [step, count] : votes.of_step) {
    if (votes.most(step)) return step;
  }
  return std::nullopt;
}

std::optional<std::int64_t> step_beside_asked(const RankRecord& rank,
                                              const Checkpoint& checkpoint) {
  if (!rank.capture || !checkpoint.step || *checkpoint.step == rank.capture->completed)
    return std::nullopt;
  if (FieldPath(checkpoint.step_source).component_kind() != "loop") return std::nullopt;
  const auto votes = votes_of(rank.log, checkpoint.tree);
  const auto right = votes.of_step.find(rank.capture->completed);
  const bool some_right = right != votes.of_step.end() && right->second > 0;
  const bool is_other = !some_right && votes.most(*checkpoint.step);
  return is_other || is_beyond(rank, votes, checkpoint) ? checkpoint.step : std::nullopt;
}

std::optional<std::int64_t> step_with_skipped(const StepLog& log, std::int64_t asked) {
  std::vector<std::int64_t> skipped, saved;
  for (const LogEvent& event : log.events) {
    if (event.name != "save" && event.name != "skipped_step") continue;
    const auto data = JsonNode::parse(event.json, "event " + event.name);
    if (const auto when = data.find("completed"))
      (event.name == "save" ? saved : skipped).push_back(log.start + when->as_int());
  }
  if (std::find(saved.begin(), saved.end(), asked) != saved.end()) return std::nullopt;
  for (const std::int64_t step : saved) {
    const auto before = std::count_if(skipped.begin(), skipped.end(),
                                      [&](std::int64_t one) { return one <= step; });
    if (before > 0 && step - before == asked) return step;
  }
  return std::nullopt;
}

}  // namespace samestep
