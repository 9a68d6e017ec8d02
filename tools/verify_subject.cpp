#include "tools/verify_subject.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "checkpoint/hasher.h"
#include "checkpoint/sums_ahead.h"
#include "checkpoint/verify.h"
#include "resume_check/shell_words.h"
#include "schemas/error.h"
#include "tools/render/text_parts.h"
#include "tools/subject.h"

namespace samestep {
namespace {

constexpr unsigned kThreadsMax = 16;

const char* mark_of(Problem::Kind kind) {
  switch (kind) {
    case Problem::Kind::damaged:
      return "damaged";
    case Problem::Kind::incomplete:
      return "incomplete";
    case Problem::Kind::inconsistent:
      return "inconsistent";
  }
  return "damaged";
}

Finding damage(const std::string& field, const char* mark, const std::string& message) {
  Finding finding;
  finding.kind = FindingKind::breach;
  finding.field = field;
  finding.marks = {mark};
  finding.evidence = {message};
  return finding;
}

void left_out(Report& report, const std::string& what, const std::string& why) {
  report.coverage.not_compared.emplace_back(what, why);
}

void verify(const Checkpoint& checkpoint, double share, SumsAhead* ahead, Report& report,
            ProgressLine& progress) {
  progress.show("verify: reading " + checkpoint.path);
  VerifyOptions options;
  options.read_data_subset = share;
  options.ahead = ahead;
  options.threads =
      static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, kThreadsMax));
  VerifyFigures figures;
  for (const Problem& problem : verify_checkpoint(checkpoint, options, &figures)) {
    report.findings.push_back(damage(problem.where, mark_of(problem.kind), problem.message));
  }
  for (const StateEntry& entry : checkpoint.tree.entries()) {
    report.coverage.by_component[entry.field.path.component()] += 1;
  }
  report.coverage.fields_compared = checkpoint.tree.entries().size();
  if (figures.records_without_checksum > 0) {
    left_out(report, count_text(figures.records_without_checksum, "record"),
             bytes_text(figures.bytes_without_checksum) + " have no checksum: read, not checked");
  }
  if (figures.records_left_out > 0) {
    left_out(report, count_text(figures.records_left_out, "record"),
             bytes_text(figures.bytes_left_out) + " left out of the subset");
  }
}

// Evenly spread over the fields that hold bytes, the first one always: the same subset each time.
bool is_chosen(std::size_t index, double share) {
  const auto chosen_up_to = [share](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<double>(i) * share);
  };
  return index == 0 || chosen_up_to(index) > chosen_up_to(index - 1);
}

std::string damage_of(const StateEntry& entry) {
  try {
    const Digest digest = digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root;
    if (entry.field.digest && digest != *entry.field.digest) {
      return "its bytes have the digest " + digest_text(digest.hex()) + ", not " +
             digest_text(entry.field.digest->hex());
    }
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void verify(const std::vector<RankRecord>& ranks, double share, SumsAhead*, Report& report,
            ProgressLine& progress) {
  std::size_t index = 0;
  std::uint64_t without_bytes = 0, unread = 0;
  report.coverage.ranks_expected = std::max(1, static_cast<int>(ranks.size()));
  for (const RankRecord& record : ranks) {
    report.coverage.ranks_heard.push_back(record.rank);
    for (const StateEntry& entry : record.tree.entries()) {
      report.coverage.by_component[entry.field.path.component()] += 1;
      if (!entry.bytes) {
        without_bytes += 1;
        continue;
      }
      if (!is_chosen(index++, share)) {
        unread += 1;
        continue;
      }
      progress.show("verify: " + entry.field.path.text());
      report.coverage.fields_compared += 1;
      const std::string message = damage_of(entry);
      if (message.empty()) continue;
      Finding finding = damage(entry.field.path.text(), "damaged", message);
      finding.rank = record.rank;
      finding.role = entry.field.role;
      report.findings.push_back(std::move(finding));
    }
  }
  if (without_bytes > 0) {
    left_out(report, count_text(without_bytes, "field"), "only the digest was kept");
  }
  if (unread > 0) left_out(report, count_text(unread, "field"), "left out of the subset");
}

}  // namespace

Report verify_subject(const std::string& path, double share, ProgressLine& progress) {
  Report report;
  report.verb = "verify";
  bool is_open = false;
  try {
    std::optional<SumsAhead> ahead;
    if (share >= 1.0 && std::thread::hardware_concurrency() > 1) ahead.emplace(path);
    const Subject subject = open_subject(path);
    is_open = true;
    std::visit(
        [&](const auto& content) {
          verify(content, share, ahead ? &*ahead : nullptr, report, progress);
        },
        subject);
  } catch (const Error& error) {
    // Too damaged to be opened: that is the answer to the question, not a failure to ask it.
    if (error.code() != ErrorCode::corrupt) throw;
    report.findings.push_back(damage(error.where(), "damaged", error.message()));
  }
  for (Finding& finding : report.findings) {
    finding.component = FieldPath(finding.field).component();
    if (is_open) finding.next = shell_text({"samestep", "inspect", path});
  }
  report.coverage.fields_equal =
      report.coverage.fields_compared -
      std::min<std::uint64_t>(report.coverage.fields_compared, report.findings.size());
  report.verdict = report.findings.empty() ? Verdict::same : Verdict::diverged;
  report.reason = report.findings.empty()
                      ? "nothing wrong was found in " + path
                      : count_text(report.findings.size(), "problem") + " in " + path;
  return report;
}

}  // namespace samestep
