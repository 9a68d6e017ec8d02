#include "tools/diff_subjects.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "resume_check/diff_records.h"
#include "resume_check/quick_diff.h"
#include "resume_check/quiet.h"
#include "resume_check/shell_words.h"
#include "schemas/count_text.h"
#include "schemas/error.h"
#include "tools/checkpoint_damage.h"
#include "tools/named_errors.h"
#include "tools/run_damage.h"
#include "tools/subject.h"

namespace samestep {
namespace {

/// What of a subject is compared: the checkpoint as rank 0, or each rank of a capture.
struct Part {
  const StateTree* tree = nullptr;
  const RankRecord* record = nullptr;  ///< of a capture
};
using Parts = std::map<int, Part>;

Parts parts_of(const Subject& subject) {
  Parts parts;
  if (const auto* checkpoint = std::get_if<Checkpoint>(&subject)) {
    parts[0] = {&checkpoint->tree, nullptr};
  } else {
    for (const RankRecord& record : std::get<std::vector<RankRecord>>(subject))
      parts[record.rank] = {&record.tree, &record};
  }
  return parts;
}

/// A subject with the step logs of its run, which say what moves. Fields of packs that are gone
/// have digests alone, unless all bytes must be read.
Subject open_for_diff(const std::string& path, EqualBy by, Coverage& coverage) {
  Subject subject = read_named(path, [&] { return open_subject(path); });
  auto* records = std::get_if<std::vector<RankRecord>>(&subject);
  if (records == nullptr) return subject;
  add_logs_beside(path, *records);
  if (by == EqualBy::sha256) return subject;
  for (const std::string& sentence : forget_lost_bytes(path, *records))
    coverage.not_compared.emplace_back("the bytes of " + path, sentence);
  return subject;
}

RecordsDiff diff_parts(const Part& source, const Part& target, EqualBy by, Counting counting) {
  if (source.record && target.record && counting == Counting::as_audit)
    return diff_records(*source.record, *target.record, by);
  return {diff_trees(*source.tree, *target.tree, by), 0};
}

void merge_coverage(Coverage& sum, const Coverage& part) {
  sum.fields_compared += part.fields_compared;
  sum.fields_equal += part.fields_equal;
  sum.boundaries_compared += part.boundaries_compared;
  for (const auto& [name, count] : part.by_component) sum.by_component[name] += count;
  for (const auto& [rule, count] : part.ignored) sum.ignored[rule] += count;
  sum.unwatched.insert(sum.unwatched.end(), part.unwatched.begin(), part.unwatched.end());
  sum.not_compared.insert(sum.not_compared.end(), part.not_compared.begin(),
                          part.not_compared.end());
}

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::diverged || b == Verdict::diverged) return Verdict::diverged;
  return a == Verdict::undecided || b == Verdict::undecided ? Verdict::undecided : Verdict::same;
}

void merge(Report& sum, Report part, int rank) {
  const bool first = sum.coverage.ranks_heard.empty();
  const Verdict verdict = first ? part.verdict : worse(sum.verdict, part.verdict);
  if (first || verdict != sum.verdict) sum.reason = part.reason;
  sum.verdict = verdict;
  for (Finding& finding : part.findings) {
    finding.rank = rank;
    sum.findings.push_back(std::move(finding));
  }
  if (!sum.divergence) sum.divergence = part.divergence;
  sum.contract.merge(part.contract);
  sum.host.merge(part.host);
  merge_coverage(sum.coverage, part.coverage);
  sum.coverage.ranks_heard.push_back(rank);
}

template <typename Ranks>
void name_lonely_ranks(Report& report, const Ranks& ranks, const Ranks& others, const char* side) {
  for (const auto& [rank, content] : ranks) {
    if (others.contains(rank)) continue;
    report.coverage.not_compared.emplace_back("rank " + std::to_string(rank),
                                              std::string("only in ") + side);
  }
}

/// A report in which no rank has been compared yet.
template <typename Ranks>
Report begun(const Ranks& sources, const Ranks& targets) {
  Report report;
  report.verb = "diff";
  report.coverage.ranks_expected = static_cast<int>(std::max(sources.size(), targets.size()));
  name_lonely_ranks(report, sources, targets, "the first");
  name_lonely_ranks(report, targets, sources, "the second");
  report.reason = "no rank is in both";
  return report;
}

/// Captures are compared by the digests in their manifests.
void tell_unread(Report& report, const std::string& path) {
  report.coverage.not_compared.emplace_back(
      "the bytes of the captures",
      "their manifests were compared, which hold a digest of each field; " +
          shell_text({"samestep", "verify", path}) + " reads the bytes");
}

using Summaries = std::map<int, CaptureSummary>;

std::optional<Summaries> summaries_at(const std::string& path) {
  if (!looks_like_capture(path)) return std::nullopt;
  const auto heads = read_capture_heads(path);
  if (!heads) return std::nullopt;
  Summaries summaries;
  for (const CaptureHead& head : *heads) {
    if (!summaries.emplace(head.boundary.rank, head.summary).second) return std::nullopt;
  }
  return summaries;
}

/// Two captures whose summaries are equal: neither fields nor data are looked at. Nothing when they
/// are not, and when there is trouble: who reads all tells it.
std::optional<Report> diff_equal_captures(const std::string& source_path,
                                          const std::string& target_path) try {
  const auto sources = summaries_at(source_path);
  if (!sources) return std::nullopt;
  const auto targets = summaries_at(target_path);
  if (!targets) return std::nullopt;
  Report report = begun(*sources, *targets);
  for (const auto& [rank, summary] : *sources) {
    const auto partner = targets->find(rank);
    if (partner == targets->end()) continue;
    auto part = diff_summaries(summary, partner->second);
    if (!part) return std::nullopt;
    merge(report, std::move(*part), rank);
  }
  tell_unread(report, source_path);
  return report;
} catch (const Error&) {
  return std::nullopt;
}

/// The paths from the last place on at which they differ: "a/step.pt" and "b/step.pt".
std::pair<std::string, std::string> short_names(const std::filesystem::path& source,
                                                const std::filesystem::path& target) {
  std::filesystem::path names[2], rests[2] = {source.lexically_normal(), target.lexically_normal()};
  for (bool differ = false; !differ && rests[0].has_filename() && rests[1].has_filename();) {
    differ = rests[0].filename() != rests[1].filename();
    for (const int side : {0, 1}) {
      names[side] =
          names[side].empty() ? rests[side].filename() : rests[side].filename() / names[side];
      rests[side] = rests[side].parent_path();
    }
  }
  return {names[0].string(), names[1].string()};
}

/// Bytes that are not what the checkpoint's own checksums say explain a difference better than any
/// training does: told where something differs, which is when the bytes are read once more.
void tell_damage(Report& report, const Subject& subject, const std::string& path,
                 const std::string& name) {
  const auto* checkpoint = std::get_if<Checkpoint>(&subject);
  if (!checkpoint) return;
  std::uint64_t count = 0;
  for (Finding& finding : checkpoint_damage(*checkpoint)) {
    if (!is_marked(finding, "damaged")) continue;
    ++count;
    finding.grade = Grade::warning;
    finding.evidence.front().insert(0, name + ": ");
    finding.next = shell_text({"samestep", "verify", path});
    report.findings.push_back(std::move(finding));
  }
  if (count > 0) report.reason += "; " + path + " is damaged (" + count_text(count, "place") + ")";
}

std::optional<std::int64_t> step_of(const Subject& subject) {
  if (const auto* checkpoint = std::get_if<Checkpoint>(&subject)) return checkpoint->step;
  const auto& records = std::get<std::vector<RankRecord>>(subject);
  if (records.empty() || !records.front().capture) return std::nullopt;
  return records.front().capture->completed;
}

/// What explains most differences at once.
void tell_steps(Report& report, const Subject& source, const Subject& target) {
  const auto first = step_of(source), second = step_of(target);
  if (!first || !second || *first == *second) return;
  report.reason += "; the first is of step " + std::to_string(*first) + ", the second of step " +
                   std::to_string(*second);
}

/// A capture holds more than any checkpoint must: whether that matters the gate tells.
std::string next_command(const Subject& source, const std::string& source_path,
                         const Subject& target, const std::string& target_path) {
  const bool is_source = std::holds_alternative<Checkpoint>(source);
  const bool is_target = std::holds_alternative<Checkpoint>(target);
  if (is_source == is_target) return shell_text({"samestep", "inspect", "--fields", source_path});
  return is_target ? shell_text({"samestep", "gate", source_path, target_path})
                   : shell_text({"samestep", "gate", target_path, source_path});
}

}  // namespace

Report quick_diff_subjects(const std::string& source_path, const std::string& target_path) {
  const auto sums_at = [](const std::string& path) {
    return read_named(path, [&] { return read_record_sums(path); });
  };
  Report report = quick_diff(sums_at(source_path), sums_at(target_path));
  report.coverage.ranks_expected = 1;
  report.coverage.ranks_heard = {0};
  for (Finding& finding : report.findings)
    finding.next = shell_text({"samestep", "diff", source_path, target_path});
  return report;
}

Report diff_subjects(const std::string& source_path, const std::string& target_path, EqualBy by,
                     Counting counting) {
  if (by == EqualBy::xxh3) {
    if (auto report = diff_equal_captures(source_path, target_path)) return std::move(*report);
  }
  Coverage lost;
  const Subject source = open_for_diff(source_path, by, lost);
  const Subject target = open_for_diff(target_path, by, lost);
  const Parts sources = parts_of(source), targets = parts_of(target);
  Report report = begun(sources, targets);
  std::uint64_t uncounted = 0;
  for (const auto& [rank, part] : sources) {
    const auto partner = targets.find(rank);
    if (partner == targets.end()) continue;
    RecordsDiff diff = diff_parts(part, partner->second, by, counting);
    uncounted += diff.uncounted;
    merge(report, std::move(diff.report), rank);
  }
  merge_coverage(report.coverage, lost);
  if (report.verdict != Verdict::undecided) conclude(report, diff_conclusions(uncounted));
  if (by == EqualBy::xxh3 && !std::holds_alternative<Checkpoint>(source) &&
      !std::holds_alternative<Checkpoint>(target))
    tell_unread(report, source_path);
  if (report.verdict == Verdict::diverged) {
    tell_steps(report, source, target);
    const auto [source_name, target_name] = short_names(source_path, target_path);
    tell_damage(report, source, source_path, source_name);
    if (target_path != source_path) tell_damage(report, target, target_path, target_name);
  }
  const std::string next = next_command(source, source_path, target, target_path);
  for (Finding& finding : report.findings) {
    if (finding.next.empty()) finding.next = next;
  }
  return report;
}

}  // namespace samestep
