#include "resume_check/ignore_list.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "resume_check/grade.h"

namespace samestep {
namespace {

constexpr std::string_view kLoose = "attribute,frame,state_dict";
constexpr std::string_view kUndeclared = "attribute,frame";

constexpr std::array kRules{
    IgnoreRule{"wall clock", "*time", kLoose, "clock", "a time of day or a duration"},
    IgnoreRule{"wall clock", "*_time_*", kLoose, "clock", "a time of day or a duration"},
    IgnoreRule{"wall clock", "*timestamp*", kLoose, "clock", "a time of day"},
    IgnoreRule{"wall clock", "*elapsed*", kLoose, "clock", "a duration"},
    IgnoreRule{"wall clock", "*start_t", kUndeclared, "clock", "a time of day"},
    IgnoreRule{"wall clock", "*/t0", kUndeclared, "clock", "a time of day"},
    IgnoreRule{"wall clock", "*perf_counter*", kUndeclared, "clock", "a time of day"},
    IgnoreRule{"wall clock", "*seconds", kLoose, "clock", "a duration"},
    IgnoreRule{"wall clock", "*/eta", kLoose, "clock", "an estimated duration"},
    IgnoreRule{"throughput", "*per_sec*", kLoose, "", "a rate over wall time"},
    IgnoreRule{"throughput", "*throughput*", kLoose, "", "a rate over wall time"},
    IgnoreRule{"throughput", "*tokens_per*", kLoose, "", "a rate over wall time"},
    IgnoreRule{"paths", "*path", kLoose, "text", "where files lie"},
    IgnoreRule{"paths", "*dir", kLoose, "text", "where files lie"},
    IgnoreRule{"paths", "*folder", kLoose, "text", "where files lie"},
    IgnoreRule{"paths", "*dirpath", kLoose, "text", "where files lie"},
    IgnoreRule{"paths", "*filename", kLoose, "text", "where files lie"},
    IgnoreRule{"paths", "*resume_from*", kLoose, "text", "where files lie"},
    IgnoreRule{"paths", "*best_model_checkpoint", kLoose, "text", "where files lie"},
    IgnoreRule{"identity", "*/pid", kLoose, "", "names a process"},
    IgnoreRule{"identity", "*hostname*", kLoose, "", "names a machine"},
    IgnoreRule{"identity", "*run_id", kLoose, "", "names a run"},
    IgnoreRule{"identity", "*uuid*", kLoose, "", "names a run"},
    IgnoreRule{"telemetry", "*total_flos", kLoose, "", "counts work for a report"},
    IgnoreRule{"telemetry", "*flops*", kLoose, "", "counts work for a report"},
    IgnoreRule{"telemetry", "*log_history*", kLoose, "", "what was logged"},
    IgnoreRule{"telemetry", "*memory_allocated*", kLoose, "", "memory in use"},
    IgnoreRule{"call counts", "lr_scheduler*/_step_count", "", "",
               "counts calls for a warning; no rate depends on it"},
    IgnoreRule{"call counts", "lr_scheduler*/_get_lr_called_within_step", "", "",
               "set during a call, for a warning"},
    IgnoreRule{"call counts", "lr_scheduler*/_is_initial", "", "", "set during construction only"},
    IgnoreRule{"call counts", "lr_scheduler*/verbose", "", "", "printing"},
    IgnoreRule{"call counts", "optimizer*/_opt_called", "", "", "set for a warning"},
    IgnoreRule{"call counts", "optimizer*/_step_count", kUndeclared, "",
               "counts calls for a warning"},
};

bool lists(std::string_view list, std::string_view word) {
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool is_of_kind(const std::optional<Value>& value, std::string_view kind) {
  constexpr std::int64_t kClockMin = 100'000'000;  // seconds: the year 1973
  if (kind.empty() || !value) return true;
  if (kind == "text") return std::holds_alternative<std::string>(*value);
  if (const auto* whole = std::get_if<std::int64_t>(&*value)) return *whole >= kClockMin;
  return !std::holds_alternative<bool>(*value);
}

}  // namespace

std::span<const IgnoreRule> ignore_list() { return kRules; }

const IgnoreRule* ignored_by(const Field& field) {
  const std::string how = declared(field);
  for (const auto& rule : kRules) {
    if (!rule.declared.empty() && !lists(rule.declared, how)) continue;
    if (field.kind == FieldKind::tensor || !is_of_kind(field.value, rule.values)) continue;
    if (glob_matches(rule.where, field.path.text())) return &rule;
  }
  return nullptr;
}

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || same_letter(pattern[p], text[t]))) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace samestep
