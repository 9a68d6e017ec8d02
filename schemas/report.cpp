#include "schemas/report.h"

#include "schemas/error.h"
#include "schemas/names.h"

namespace samestep {
namespace {

constexpr Names<Verdict, 3> kVerdicts{{"same", "diverged", "undecided"}};
constexpr Names<Grade, 2> kGrades{{"confirmed", "warning"}};
constexpr Names<FindingKind, 4> kKinds{{"gap", "breach", "divergence", "cause"}};

template <typename Table>
auto named(const Table& table, std::string_view name, const char* noun) {
  if (const auto value = table.find(name)) return *value;
  throw Error(ErrorCode::corrupt, std::string("no ") + noun + " has this name", std::string(name));
}

}  // namespace

std::string_view to_string(Verdict verdict) noexcept { return kVerdicts.of(verdict); }
std::string_view to_string(Grade grade) noexcept { return kGrades.of(grade); }
std::string_view to_string(FindingKind kind) noexcept { return kKinds.of(kind); }

Verdict verdict_from(std::string_view name) { return named(kVerdicts, name, "verdict"); }
Grade grade_from(std::string_view name) { return named(kGrades, name, "grade"); }
FindingKind finding_kind_from(std::string_view name) {
  return named(kKinds, name, "kind of finding");
}

}  // namespace samestep
