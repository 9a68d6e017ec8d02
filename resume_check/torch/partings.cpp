#include "resume_check/torch/partings.h"

#include <algorithm>
#include <optional>

#include "resume_check/divergence.h"

namespace samestep::libtorch {
namespace {

/// "grad:w" and "optimizer:w" are told together, each forward by itself.
std::string kind_of(const std::string& phase) {
  for (const char* kind : {"grad:", "optimizer:"})
    if (phase.starts_with(kind)) return kind;
  return phase;
}

std::vector<std::string> kinds_of(const StepLog& step) {
  std::vector<std::string> kinds;
  for (const LogTrace& trace : step.traces) {
    std::string kind = kind_of(trace.phase);
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

StepLog without_traces(const StepLog& step, const char* phase) {
  StepLog log;
  for (const LogBegin& begin : step.begins)
    if (begin.phase == phase) log.begins.push_back(begin);
  return log;
}

StepLog traces_of_kind(const StepLog& step, const std::string& kind) {
  StepLog log = without_traces(step, "begin");
  for (const LogTrace& trace : step.traces)
    if (kind_of(trace.phase) == kind) log.traces.push_back(trace);
  return log;
}

class StepPair {
 public:
  StepPair(const StepLog& source, const StepLog& target, const std::set<std::string>& fields,
           std::int64_t completed)
      : source_(source), target_(target), fields_(fields), completed_(completed) {}

  std::optional<Parting> whole() const {
    auto found = first_of(source_, target_, fields_, completed_, true);
    if (found && found->where.step > completed_ + 1) found->where = {0, completed_ + 1, "end"};
    return found;
  }

  std::vector<Parting> by_kind() const {
    std::vector<Parting> found;
    const auto add = [&](std::optional<Parting> parting) {
      if (parting) found.push_back(std::move(*parting));
      return parting.has_value();
    };
    add(at_boundary("begin", fields_, completed_));
    bool batch_differs = false, optimizer_differs = false;
    for (const std::string& kind : kinds_of(source_)) {
      const bool is_optimizer = kind == "optimizer:";
      if (batch_differs && !is_optimizer) continue;
      const bool differs = add(first_of(traces_of_kind(source_, kind),
                                        traces_of_kind(target_, kind), {}, completed_, false));
      batch_differs = batch_differs || (differs && kind == "batch");
      optimizer_differs = optimizer_differs || (differs && is_optimizer);
    }
    add(at_boundary("end", optimizer_differs ? not_of_the_optimizer() : fields_, completed_ + 1));
    return found;
  }

 private:
  static std::optional<Parting> first_of(const StepLog& source, const StepLog& target,
                                         const std::set<std::string>& fields, std::int64_t at,
                                         bool from_state) {
    const StepsQuestion question{0, at, 1, fields, from_state, {}};
    const auto compared = compare_steps(source, target, question);
    if (!compared.divergence) return std::nullopt;
    const DivergenceReport& first = *compared.divergence;
    return Parting{first.first, first.name, first.folded};
  }

  std::optional<Parting> at_boundary(const char* phase, const std::set<std::string>& fields,
                                     std::int64_t completed) const {
    auto found = first_of(without_traces(source_, phase), without_traces(target_, phase), fields,
                          completed, true);
    // An end is of the step that it ends.
    if (found) found->where = {0, completed_ + 1, phase};
    return found;
  }

  std::set<std::string> not_of_the_optimizer() const {
    std::set<std::string> rest;
    for (const std::string& path : fields_) {
      const auto kind = FieldPath(path).component_kind();
      if (kind != "model" && kind != "optimizer") rest.insert(path);
    }
    return rest;
  }

  const StepLog& source_;
  const StepLog& target_;
  const std::set<std::string>& fields_;
  std::int64_t completed_;
};

}  // namespace

std::vector<Parting> partings_of(const StepRecords& source, const StepRecords& target,
                                 const std::set<std::string>& fields, std::int64_t at,
                                 TwinMode mode) {
  std::vector<Parting> found;
  const std::size_t steps = std::min(source.size(), target.size());
  for (std::size_t i = 0; i < steps; ++i) {
    const StepPair step(source[i], target[i], fields, at + static_cast<std::int64_t>(i));
    if (mode == TwinMode::lock_step) {
      for (Parting& parting : step.by_kind()) found.push_back(std::move(parting));
    } else if (auto parting = step.whole()) {
      found.push_back(std::move(*parting));
    }
  }
  return found;
}

}  // namespace samestep::libtorch
