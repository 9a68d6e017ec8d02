#include "tools/verify_subject.h"

#include <algorithm>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "checkpoint/hasher.h"
#include "checkpoint/sums_ahead.h"
#include "resume_check/shell_words.h"
#include "schemas/error.h"
#include "tools/checkpoint_damage.h"
#include "tools/named_errors.h"
#include "tools/render/text_parts.h"
#include "tools/run_damage.h"
#include "tools/subject.h"

namespace samestep {
namespace {

void left_out(Report& report, const std::string& what, const std::string& why) {
  report.coverage.not_compared.emplace_back(what, why);
}

void verify(const Checkpoint& checkpoint, double share, SumsAhead* ahead, Report& report,
            ProgressLine& progress) {
  progress.show("verify: reading " + checkpoint.path);
  VerifyOptions options;
  options.read_data_subset = share;
  options.ahead = ahead;
  VerifyFigures figures;
  report.findings = checkpoint_damage(checkpoint, options, &figures);
  for (const StateEntry& entry : checkpoint.tree.entries()) {
    report.coverage.by_component[entry.field.path.component()] += 1;
  }
  report.coverage.fields_compared = checkpoint.tree.entries().size();
  report.coverage.fields_equal =
      report.coverage.fields_compared -
      std::min<std::uint64_t>(report.coverage.fields_compared, report.findings.size());
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

/// Reads the bytes of captures, field by field.
class CaptureVerifier {
 public:
  CaptureVerifier(const std::string& path, double share, Report& report, ProgressLine& progress)
      : path_(path), share_(share), report_(report), progress_(progress) {}

  void run(const std::vector<RankRecord>& ranks) {
    for (const PackTrouble& trouble : check_packs(path_, ranks)) {
      lost_.insert(trouble.fields.begin(), trouble.fields.end());
      report_.findings.push_back(pack_finding(trouble, path_));
    }
    report_.coverage.ranks_expected = std::max(1, static_cast<int>(ranks.size()));
    for (const RankRecord& record : ranks) {
      report_.coverage.ranks_heard.push_back(record.rank);
      for (const StateEntry& entry : record.tree.entries()) look_at(entry, record.rank);
    }
    if (without_bytes_ > 0)
      left_out(report_, count_text(without_bytes_, "field"), "only the digest was kept");
    if (unread_ > 0) left_out(report_, count_text(unread_, "field"), "left out of the subset");
  }

 private:
  void look_at(const StateEntry& entry, int rank) {
    const std::string& field = entry.field.path.text();
    report_.coverage.by_component[entry.field.path.component()] += 1;
    if (!entry.bytes) {
      ++without_bytes_;
    } else if (lost_.contains({rank, field})) {
      ++report_.coverage.fields_compared;
    } else if (!is_chosen(index_++, share_)) {
      ++unread_;
    } else {
      progress_.show("verify: " + field);
      ++report_.coverage.fields_compared;
      read(entry, rank);
    }
  }

  void read(const StateEntry& entry, int rank) {
    const std::string message = damage_of(entry);
    if (message.empty()) {
      ++report_.coverage.fields_equal;
      return;
    }
    Finding finding = damage_finding(entry.field.path.text(), "damaged", message);
    finding.rank = rank;
    finding.role = entry.field.role;
    report_.findings.push_back(std::move(finding));
  }

  const std::string& path_;
  double share_;
  Report& report_;
  ProgressLine& progress_;
  std::set<std::pair<int, std::string>> lost_;  ///< fields of packs that cannot be read
  std::size_t index_ = 0;
  std::uint64_t without_bytes_ = 0, unread_ = 0;
};

/// The records that could be opened; none of a checkpoint.
std::vector<RankRecord> verify(const std::string& path, const Subject& subject, double share,
                               SumsAhead* ahead, Report& report, ProgressLine& progress) {
  if (const auto* checkpoint = std::get_if<Checkpoint>(&subject)) {
    verify(*checkpoint, share, ahead, report, progress);
    return {};
  }
  const auto& records = std::get<std::vector<RankRecord>>(subject);
  CaptureVerifier(path, share, report, progress).run(records);
  return records;
}

}  // namespace

Report verify_subject(const std::string& path, double share, ProgressLine& progress) {
  Report report;
  report.verb = "verify";
  bool is_open = false;
  std::vector<RankRecord> records;
  try {
    std::optional<SumsAhead> ahead;
    if (share >= 1.0 && std::thread::hardware_concurrency() > 1) ahead.emplace(path);
    const Subject subject = open_subject(path);
    is_open = true;
    records = verify(path, subject, share, ahead ? &*ahead : nullptr, report, progress);
  } catch (const Error& error) {
    // Too damaged to be opened: that is the answer to the question, not a failure to ask it.
    if (error.code() != ErrorCode::corrupt) throw named(error, path);
    report.findings.push_back(damage_finding(error.where(), "damaged", error.message()));
    if (!error.remedy().empty()) report.findings.back().evidence.push_back(error.remedy());
  }
  for (Finding& finding : run_damage(path, records, report.coverage))
    report.findings.push_back(std::move(finding));
  for (Finding& finding : report.findings) {
    if (is_open && finding.next.empty()) finding.next = shell_text({"samestep", "inspect", path});
  }
  report.verdict = report.findings.empty() ? Verdict::same : Verdict::diverged;
  report.reason = report.findings.empty()
                      ? "nothing wrong was found in " + path
                      : count_text(report.findings.size(), "problem") + " in " + path;
  return report;
}

}  // namespace samestep
