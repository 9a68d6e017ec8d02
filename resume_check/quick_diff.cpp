#include "resume_check/quick_diff.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "checkpoint/hasher.h"
#include "resume_check/findings.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

std::string text_of(std::uint32_t crc) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", crc);
  return text.data();
}

const RecordSum* record_of(const RecordSums& sums, const StateEntry& entry) {
  const std::int64_t number = entry.field.layout.storage;
  const bool known = number >= 0 && static_cast<std::size_t>(number) < sums.records.size();
  return known ? &sums.records[static_cast<std::size_t>(number)] : nullptr;
}

class QuickDiff {
 public:
  QuickDiff(const RecordSums& source, const RecordSums& target)
      : source_(source), target_(target) {}

  Report run() {
    report_.verb = "diff";
    for (const StateEntry& entry : source_.tree.entries()) {
      const StateEntry* other = target_.tree.find(entry.field.path);
      if (other == nullptr) {
        one_sided(entry, Fate::missing, "only the first one holds it");
      } else {
        compare(entry, *other);
      }
    }
    for (const StateEntry& entry : target_.tree.entries()) {
      if (source_.tree.find(entry.field.path) == nullptr)
        one_sided(entry, Fate::extra, "only the second one holds it");
    }
    conclude();
    return std::move(report_);
  }

 private:
  Finding& add(const StateEntry& entry, FindingKind kind, std::string evidence) {
    Finding finding;
    finding.kind = kind;
    finding.field = entry.field.path.text();
    finding.component = entry.field.path.component();
    finding.role = entry.field.role;
    finding.evidence.push_back(std::move(evidence));
    report_.findings.push_back(std::move(finding));
    return report_.findings.back();
  }

  void one_sided(const StateEntry& entry, Fate fate, const char* evidence) {
    Finding& finding = add(entry, FindingKind::gap, evidence);
    finding.fate = fate;
    (fate == Fate::missing ? finding.captured : finding.restored) = side_of(&entry);
  }

  void differing(const StateEntry& a, const StateEntry& b, std::string evidence) {
    Finding& finding = add(a, FindingKind::divergence, std::move(evidence));
    finding.captured = side_of(&a);
    finding.restored = side_of(&b);
  }

  void leave_out(const StateEntry& entry, const char* why) {
    report_.coverage.not_compared.emplace_back(entry.field.path.text(), why);
  }

  void compare(const StateEntry& a, const StateEntry& b) {
    if (a.field.kind == FieldKind::opaque || b.field.kind == FieldKind::opaque)
      return leave_out(a, "an object, not opened");
    const RecordSum *left = record_of(source_, a), *right = record_of(target_, b);
    if (left == nullptr || right == nullptr) return compare_value(a, b);
    ++tensors_;
    if (a.field.dtype != b.field.dtype || a.field.shape != b.field.shape)
      return count(a, &b, "another dtype or shape");
    const Layout &here = a.field.layout, &there = b.field.layout;
    const bool same_layout = here.strides == there.strides && left->bytes == right->bytes &&
                             here.storage_offset == there.storage_offset;
    if (!same_layout || !left->crc32 || !right->crc32) {
      ++unknown_;
      return leave_out(a, same_layout ? "no checksum was kept"
                                      : "laid out in another way: checksums tell nothing");
    }
    if (*left->crc32 == *right->crc32) return count(a, nullptr, "");
    count(a, &b,
          "checksums " + text_of(*left->crc32) + " of " + left->name + " and " +
              text_of(*right->crc32) + " of " + right->name + "; the data was not read");
  }

  /// Stands in the pickle, which was read.
  void compare_value(const StateEntry& a, const StateEntry& b) {
    const auto digest = [](const StateEntry& entry) {
      return digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root;
    };
    if (!a.bytes || !b.bytes) return;
    const bool equal = digest(a) == digest(b);
    count(a, equal ? nullptr : &b, "another value");
  }

  void count(const StateEntry& a, const StateEntry* other, std::string evidence) {
    ++report_.coverage.fields_compared;
    ++report_.coverage.by_component[a.field.path.component()];
    if (other == nullptr) {
      ++report_.coverage.fields_equal;
    } else {
      differing(a, *other, std::move(evidence));
    }
  }

  void conclude() {
    sort_findings(report_.findings);
    const std::size_t wrong = report_.findings.size();
    report_.coverage.not_compared.emplace_back("the data of " + count_text(tensors_, "tensor"),
                                               "only their checksums were compared");
    if (wrong > 0) {
      report_.verdict = Verdict::diverged;
      report_.reason = std::to_string(wrong) + (wrong == 1 ? " field differs" : " fields differ") +
                       " by what the files say of themselves: a hint, no data was read";
    } else if (unknown_ > 0 || report_.coverage.fields_compared == 0) {
      report_.verdict = Verdict::undecided;
      report_.reason = unknown_ == tensors_ ? "--quick cannot tell: no checksums were kept"
                                            : "--quick cannot tell: some tensors have no "
                                              "checksums to compare";
    } else {
      report_.verdict = Verdict::same;
      report_.reason = "all checksums are equal: a hint, no data was read";
    }
  }

  const RecordSums &source_, &target_;
  Report report_;
  std::uint64_t tensors_ = 0, unknown_ = 0;
};

}  // namespace

Report quick_diff(const RecordSums& source, const RecordSums& target) {
  return QuickDiff(source, target).run();
}

}  // namespace samestep
