// Report: verdict, findings and coverage of an audit, a gate or a diff (report.v1).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/boundary.h"
#include "schemas/fate.h"
#include "schemas/field.h"

namespace samestep {

inline constexpr const char* kReportSchema = "report.v1";

enum class Verdict : unsigned char { same = 0, diverged = 1, undecided = 2 };
enum class Grade : unsigned char { confirmed = 0, warning = 1 };
enum class FindingKind : unsigned char { gap = 0, breach = 1, divergence = 2, cause = 3 };

std::string_view to_string(Verdict verdict) noexcept;
std::string_view to_string(Grade grade) noexcept;
std::string_view to_string(FindingKind kind) noexcept;
/// These throw Error{corrupt} for a name that is none.
Verdict verdict_from(std::string_view name);
Grade grade_from(std::string_view name);
FindingKind finding_kind_from(std::string_view name);

/// One side of a finding: as much as is known of the value there.
struct Side {
  bool present = false;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::optional<Digest> digest;
  std::optional<Value> value;
  std::string source;  ///< "optimizer.pt: state/0/step", empty for a live one
};

/// How two byte strings of one field differ, where both were at hand.
struct Difference {
  std::uint64_t first_byte = 0, last_byte = 0;  ///< inclusive range that holds every differing byte
  std::uint64_t elements = 0, elements_total = 0;
  std::uint64_t first_index = 0;             ///< row-major index of the first differing element
  std::vector<std::int64_t> first_position;  ///< the same as indices
  std::string source_value, target_value;    ///< of that element, exact text
  std::optional<std::uint64_t> ulp_max;      ///< of floating types
};

struct Finding {
  FindingKind kind = FindingKind::gap;
  Grade grade = Grade::confirmed;
  std::string
      field;  ///< a FieldPath; "plan/<clause>" for a breach; the boundary's phase for a divergence
  std::string component;
  int rank = 0;
  Role role = Role::other;
  std::optional<Fate> fate;
  std::vector<std::string>
      evidence;  ///< sentences, most telling first ("equals the value at construction (reset)")
  std::vector<std::string> marks;  ///< one word each: reset, stale, torn, cast, permuted, aliased,
                                   ///< latent, unused, anew
  Side captured, checkpointed, restored;
  std::optional<Side> loaded;  ///< just after the load call
  std::optional<Boundary> where;
  std::optional<Difference> difference;
  std::string next;  ///< the next command to run
};

/// A minimal set of grafts that heals the divergence.
struct CauseEntry {
  std::string field;  ///< a FieldPath or "plan/<clause>"
  std::string component;
  std::string proof;
};

/// The first operator of a step at which two legs part.
struct OperatorReport {
  Boundary where;                 ///< phase "op:<n>": its number in the step of the first leg
  std::string name;               ///< with its overload: "aten::add.Tensor"
  std::string phase;              ///< "forward", "backward", "optimizer" or "between"
  std::string module;             ///< whose forward it belongs to, where known
  std::string inside;             ///< the operator that called it, or empty
  std::string differs;            ///< "outputs" (of equal inputs), "inputs", or "sequence"
  std::string argument;           ///< the first argument or output that differs; empty: sequence
  Side uninterrupted, resumed;    ///< of that argument
  std::uint64_t same_before = 0;  ///< operators before it that are the same
  std::vector<std::string> evidence;
};

struct DivergenceReport {
  Boundary first;                    ///< first boundary that differs, in causal order
  std::string name;                  ///< what differs there
  std::int64_t certified_steps = 0;  ///< whole steps before it that are the same
  std::uint64_t certified_boundaries =
      0;                     ///< boundaries before it that were compared and are the same
  std::uint64_t folded = 0;  ///< later differences that follow from it
  std::optional<OperatorReport> op = std::nullopt;  ///< where operators were traced
};

struct Coverage {
  std::uint64_t fields_compared = 0, fields_equal = 0;
  std::uint64_t boundaries_compared = 0;
  std::int64_t steps_compared = 0;
  std::vector<int> ranks_heard;
  int ranks_expected = 1;
  std::map<std::string, std::uint64_t> by_component;  ///< fields compared, by component
  std::vector<std::string> unwatched;                 ///< in the file, no probe saw it live
  std::vector<std::pair<std::string, std::string>> not_compared;  ///< what, why
  std::map<std::string, std::uint64_t> ignored;  ///< rule of the ignore list -> fields that it hid
  bool power = false;                            ///< the state moved during the compared steps
};

struct LegReport {
  std::string name;  ///< "uninterrupted", "resumed", "control.1"
  std::vector<std::string> argv;
  int exit_status = 0;
  double seconds = 0;
  std::string log;         ///< path of its kept output
  std::int64_t steps = 0;  ///< optimizer steps up to the last boundary that it recorded
};

struct Report {
  std::string verb;  ///< "audit", "gate", "diff"
  Verdict verdict = Verdict::undecided;
  std::string reason;             ///< the verdict in one sentence
  std::vector<Finding> findings;  ///< confirmed first, then causal order, then path and rank
  std::vector<CauseEntry> cause;
  std::optional<DivergenceReport> divergence;
  Coverage coverage;
  std::vector<LegReport> legs;
  std::map<std::string, std::string>
      contract;                             ///< clauses of the uninterrupted leg: name -> JSON text
  std::map<std::string, std::string> host;  ///< the one block for time and place
};

}  // namespace samestep
