// Compare: two StateTrees, field by field (diff).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checkpoint/state_tree.h"
#include "schemas/capture.h"
#include "schemas/report.h"

namespace samestep {

/// By what fields are called equal. XXH3 is no cryptographic hash: who can choose the bytes can
/// make two that have one digest. SHA-256 of both sides is made anew from their bytes.
enum class EqualBy : std::uint8_t { xxh3, sha256 };

/// Same path, dtype, shape and bytes. Fields of one side only, and differing ones, become findings
/// (kind divergence for differing bytes with Difference filled, gap extra/missing for one-sided).
/// Representation drift (step as int or 0-d tensor of equal value) is a warning. Layout (strides,
/// aliasing, dict order) is a note, never a difference.
/// By SHA-256 a field whose bytes one side did not keep is not compared.
Report diff_trees(const StateTree& source, const StateTree& target, EqualBy by = EqualBy::xxh3);

/// What diff_trees() says of two captures whose summaries are these, when that can be told from
/// them: they are equal, and hold nothing that was not opened.
std::optional<Report> diff_summaries(const CaptureSummary& source, const CaptureSummary& target);

/// What is said of no confirmed finding, of one ("1 field <one>"), and of several ("2 fields
/// <many>").
struct Conclusions {
  std::string same, one, many;
};

/// What a diff says, when `uncounted` fields differ that an audit does not count.
Conclusions diff_conclusions(std::uint64_t uncounted = 0);

/// Sorts the findings and sets verdict and reason: `diverged` when any is confirmed, `undecided`
/// when nothing was compared, else `same`.
void conclude(Report& report, const Conclusions& texts);

}  // namespace samestep
