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
    IgnoreRule{"times of day and durations", "*time", kLoose, "clock",
               "a time of day or a duration"},
    IgnoreRule{"times of day and durations", "*_time_*", kLoose, "clock",
               "a time of day or a duration"},
    IgnoreRule{"times of day and durations", "*timestamp*", kLoose, "clock", "a time of day"},
    IgnoreRule{"times of day and durations", "*elapsed*", kLoose, "clock", "a duration"},
    IgnoreRule{"times of day and durations", "*start_t", kUndeclared, "clock", "a time of day"},
    IgnoreRule{"times of day and durations", "*/t0", kUndeclared, "clock", "a time of day"},
    IgnoreRule{"times of day and durations", "*perf_counter*", kUndeclared, "clock",
               "a time of day"},
    IgnoreRule{"times of day and durations", "*seconds", kLoose, "clock", "a duration"},
    IgnoreRule{"times of day and durations", "*/eta", kLoose, "clock", "an estimated duration"},
    IgnoreRule{"rates over wall time", "*per_sec*", kLoose, "", "a rate over wall time"},
    IgnoreRule{"rates over wall time", "*throughput*", kLoose, "", "a rate over wall time"},
    IgnoreRule{"rates over wall time", "*tokens_per*", kLoose, "", "a rate over wall time"},
    IgnoreRule{"paths of files", "*path", kLoose, "text", "where files lie"},
    IgnoreRule{"paths of files", "*dir", kLoose, "text", "where files lie"},
    IgnoreRule{"paths of files", "*folder", kLoose, "text", "where files lie"},
    IgnoreRule{"paths of files", "*dirpath", kLoose, "text", "where files lie"},
    IgnoreRule{"paths of files", "*filename", kLoose, "text", "where files lie"},
    IgnoreRule{"paths of files", "*resume_from*", kLoose, "text", "where files lie"},
    IgnoreRule{"paths of files", "*best_model_checkpoint", kLoose, "text", "where files lie"},
    IgnoreRule{"names of processes, machines and runs", "*/pid", kLoose, "", "names a process"},
    IgnoreRule{"names of processes, machines and runs", "*hostname*", kLoose, "",
               "names a machine"},
    IgnoreRule{"names of processes, machines and runs", "*run_id", kLoose, "", "names a run"},
    IgnoreRule{"names of processes, machines and runs", "*uuid*", kLoose, "", "names a run"},
    IgnoreRule{"figures that are only logged", "*total_flos", kLoose, "",
               "counts work for a report"},
    IgnoreRule{"figures that are only logged", "*flops*", kLoose, "", "counts work for a report"},
    IgnoreRule{"figures that are only logged", "*log_history*", kLoose, "", "what was logged"},
    IgnoreRule{"figures that are only logged", "*memory_allocated*", kLoose, "", "memory in use"},
    IgnoreRule{"counts and flags that only warnings use", "lr_scheduler*/_step_count", "", "",
               "counts calls for a warning; no rate depends on it"},
    IgnoreRule{"counts and flags that only warnings use",
               "lr_scheduler*/_get_lr_called_within_step", "", "",
               "set during a call, for a warning"},
    IgnoreRule{"counts and flags that only warnings use", "lr_scheduler*/_is_initial", "", "",
               "set during construction only"},
    IgnoreRule{"counts and flags that only warnings use", "lr_scheduler*/verbose", "", "",
               "printing"},
    IgnoreRule{"counts and flags that only warnings use", "optimizer*/_opt_called", "", "",
               "set for a warning"},
    IgnoreRule{"counts and flags that only warnings use", "optimizer*/_step_count", kUndeclared, "",
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
