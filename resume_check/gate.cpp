#include "resume_check/gate.h"

#include <algorithm>
#include <functional>
#include <future>
#include <set>

#include "checkpoint/files/forget_pages.h"
#include "checkpoint/signals_blocked.h"
#include "resume_check/align.h"
#include "resume_check/compare.h"
#include "resume_check/coverage.h"
#include "resume_check/digests.h"
#include "resume_check/evidence.h"
#include "resume_check/findings.h"
#include "resume_check/ignore_list.h"
#include "resume_check/locate.h"
#include "resume_check/movement.h"
#include "resume_check/quiet.h"
#include "resume_check/streams.h"
#include "resume_check/weigh_saved.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

/// The copies of a rank without a resumed one; fates from the two that there are.
std::vector<FieldFate> saved_fates(const RankRecord& rank, const Alignment& alignment) {
  const std::set<std::string> dead(rank.log.dead_gradients.begin(), rank.log.dead_gradients.end());
  std::vector<FieldFate> fates;
  const auto& entries = rank.tree.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& live = entries[i];
    if (dead.contains(live.field.path.text()) || live.field.kind == FieldKind::opaque) continue;
    if (is_next_batch(live.field.path)) continue;  // no checkpoint holds a batch
    FieldFate fate;
    fate.path = live.field.path;
    fate.rank = rank.rank;
    fate.captured = &live;
    fate.match = alignment.matches[i];
    fate.fate = !fate.match ? Fate::missing : fate.match->equal ? Fate::kept : Fate::miswritten;
    fates.push_back(std::move(fate));
  }
  const auto completed = rank.capture ? rank.capture->completed : 0;
  const auto looks = look_at_streams(fates, rank.log, completed);
  for (auto& fate : fates) {
    const auto look = looks.find(stream_of(fate.path));
    if (look == looks.end()) continue;
    fate.stream = look->second;
    if (fate.match && look->second.as_saved) fate.fate = Fate::kept;
  }
  return fates;
}

Finding finding_of(const FieldFate& fate, const SavedFacts& facts, const Movement& movement,
                   std::int64_t completed) {
  Finding finding;
  const Field& field = fate.captured->field;
  finding.field = field.path.text();
  finding.component = field.path.component();
  finding.role = field.role;
  finding.rank = fate.rank;
  finding.fate = fate.fate;
  finding.captured = side_of(fate.captured);
  finding.checkpointed = side_of(fate.match);
  const auto weighed = weigh_saved(fate, facts);
  finding.grade = weighed.needed ? Grade::confirmed : Grade::warning;
  if (!weighed.reason.empty()) finding.evidence.push_back(weighed.reason);
  if (!weighed.mark.empty()) finding.marks.push_back(weighed.mark);
  if (!fate.match) {
    finding.evidence.emplace_back("the checkpoint does not hold it");
  } else {
    finding.difference = locate(*fate.captured, *fate.match->entry);
    const auto& digest = fate.match->entry->field.digest;
    const auto step = digest ? movement.step_of(finding.field, *digest, completed) : std::nullopt;
    if (step) {
      finding.evidence.emplace_back("the checkpoint holds the value of step " +
                                    std::to_string(*step));
      finding.marks.emplace_back("stale");
    }
  }
  return finding;
}

void gate_rank(const RankRecord& rank, const Alignment& alignment, const Checkpoint& checkpoint,
               Report& report) {
  const Movement movement(rank.log);
  const auto completed = rank.capture ? rank.capture->completed : 0;
  auto& coverage = report.coverage;
  const auto fates = saved_fates(rank, alignment);
  cover_fields(fates, coverage);
  for (const auto& fate : fates) {
    if (fate.fate == Fate::kept) continue;
    if (const auto* rule = ignored_by(fate.field())) {
      ++coverage.ignored[std::string(rule->name)];
      continue;
    }
    const auto facts = saved_facts_of(fate, fates, movement, rank, checkpoint.step);
    auto finding = finding_of(fate, facts, movement, completed);
    if (is_marked(finding, "constant")) {
      ++coverage.ignored["as any new run makes them (constants, defaults)"];
    } else {
      report.findings.push_back(std::move(finding));
    }
  }
}

/// "; 2 fields that it lacks or holds otherwise are tolerated", or nothing.
std::string tolerated_text(const Report& report) {
  const auto count = static_cast<std::uint64_t>(
      std::ranges::count(report.findings, Grade::warning, &Finding::grade));
  if (count == 0) return {};
  return "; " + count_text(count, "field") + " that it lacks or holds otherwise " +
         (count == 1 ? "is" : "are") + " tolerated";
}

/// What was digested stays mapped, and to unmap it takes a quarter of the time that its digests
/// took: another thread does it, while this one judges by what it remembers. The tree outlives the
/// result.
std::future<void> forget_in_background(const StateTree& tree) {
  const SignalsBlocked blocked;
  return std::async(std::launch::async | std::launch::deferred, [&tree] {
    std::vector<std::span<const std::byte>> places;
    for (const auto& entry : tree.entries()) {
      if (entry.bytes) places.push_back(entry.bytes->contiguous());
    }
    std::ranges::sort(places, std::less<>(), [](const auto& place) { return place.data(); });
    ForgetBehind behind;
    for (const auto& place : places) behind.add(place);
  });
}

void note_lost_logs(const std::vector<RankRecord>& capture, Coverage& coverage) {
  for (const auto& rank : capture) {
    if (!rank.log_trouble.empty())
      coverage.not_compared.emplace_back("the step log", rank.log_trouble);
  }
}

}  // namespace

std::vector<RankRecord> read_for_gate(const std::string& path) {
  auto records = read_capture(path);
  add_logs_beside(path, records);
  return records;
}

Report gate(const std::vector<RankRecord>& capture, const Checkpoint& checkpoint) {
  StateTree filed = checkpoint.tree;
  compute_digests(filed);
  const auto forgotten = forget_in_background(checkpoint.tree);
  Report report;
  report.verb = "gate";
  auto& coverage = report.coverage;
  coverage.ranks_expected = static_cast<int>(capture.size());
  std::vector<Alignment> alignments;
  for (const auto& rank : capture) {
    coverage.ranks_heard.push_back(rank.rank);
    if (rank.capture) {
      coverage.ranks_expected = std::max(coverage.ranks_expected, rank.capture->world_size);
    }
    alignments.push_back(align(rank.tree, filed, rank.rank));
    gate_rank(rank, alignments.back(), checkpoint, report);
  }
  coverage.unwatched = unwatched_by_all(alignments);
  note_lost_logs(capture, coverage);
  const bool refused = std::any_of(report.findings.begin(), report.findings.end(),
                                   [](const auto& f) { return f.grade == Grade::confirmed; });
  quieten(report.findings, !refused, coverage);
  conclude(report, {"the checkpoint holds all durable state that a resumed run needs, bit for bit" +
                        tolerated_text(report),
                    "of the live state is not in the checkpoint as it was",
                    "of the live state are not in the checkpoint as they were"});
  return report;
}

}  // namespace samestep
