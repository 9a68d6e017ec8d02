#include "resume_check/divergence.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "resume_check/grade.h"

namespace samestep {
namespace {

/// The last record of a boundary counts: a begin inside an open window replaces the one before.
const LogBegin* boundary_at(const StepLog& log, std::int64_t completed, const std::string& phase) {
  const LogBegin* found = nullptr;
  for (const auto& begin : log.begins) {
    if (begin.completed == completed && begin.phase == phase) found = &begin;
  }
  return found;
}

struct BoundaryPair {
  const LogBegin* source = nullptr;
  const LogBegin* target = nullptr;
  bool across = false;  ///< an end against a begin
  explicit operator bool() const { return source && target; }
};

BoundaryPair boundaries_at(const StepLog& source, const StepLog& target, std::int64_t completed) {
  for (const char* phase : {"begin", "end"}) {
    BoundaryPair pair{boundary_at(source, completed, phase), boundary_at(target, completed, phase),
                      false};
    if (pair) return pair;
  }
  for (const char* phase : {"begin", "end"}) {
    const char* other = phase[0] == 'b' ? "end" : "begin";
    BoundaryPair pair{boundary_at(source, completed, phase), boundary_at(target, completed, other),
                      true};
    if (pair) return pair;
  }
  return {};
}

/// Updated by nothing between an optimizer step and the begin that follows.
bool settled_at_end(const FieldPath& path) {
  const auto kind = path.component_kind();
  return kind == "model" ||
         (kind == "optimizer" && path.parts().size() > 1 && path.parts()[1] == "state");
}

struct Difference {
  std::string name;
  bool batch;
};

/// Differing names of a pair of boundaries, in causal order; counts what was compared.
std::vector<Difference> differences(const BoundaryPair& pair, const std::set<std::string>& fields,
                                    std::uint64_t& compared) {
  std::vector<std::tuple<int, std::string>> found;
  for (const auto& [path, digest] : pair.source->fields) {
    if (!fields.contains(path)) continue;
    const FieldPath field(path);
    if (pair.across && !settled_at_end(field)) continue;
    const auto other = pair.target->fields.find(path);
    ++compared;
    if (other != pair.target->fields.end() && other->second == digest) continue;
    found.emplace_back(causal_rank(field), path);
  }
  std::sort(found.begin(), found.end());
  std::vector<Difference> names;
  for (const auto& [rank, path] : found) names.push_back({path, is_next_batch(FieldPath(path))});
  return names;
}

std::vector<const LogTrace*> traces_of(const StepLog& log, std::int64_t completed) {
  std::vector<const LogTrace*> traces;
  for (const auto& trace : log.traces) {
    if (trace.completed == completed) traces.push_back(&trace);
  }
  return traces;
}

/// The field that a trace after an optimizer's step is of; empty for other phases.
std::string traced_field(const std::string& phase) {
  constexpr std::string_view kPrefix = "optimizer:";
  return phase.starts_with(kPrefix) ? phase.substr(kPrefix.size()) : std::string();
}

/// Traces of one step by phase, in order.
std::map<std::string, std::vector<Digest>> by_phase(const std::vector<const LogTrace*>& traces) {
  std::map<std::string, std::vector<Digest>> phases;
  for (const auto* trace : traces) phases[trace->phase].push_back(trace->digest);
  return phases;
}

class Walk {
 public:
  Walk(const StepLog& source, const StepLog& target, const StepsQuestion& question)
      : source_(source), target_(target), question_(question) {}

  StepsComparison run() {
    for (std::int64_t step = 0; step <= question_.steps; ++step) {
      const std::int64_t completed = question_.at + step;
      const auto pair = boundaries_at(source_, target_, completed);
      if (!pair) break;
      if (step > 0) result_.steps = step;
      if (step > 0 || question_.from_state) compare_state(pair, completed);
      if (step < question_.steps) compare_traces(completed, step == 0);
    }
    result_.moved = parameters_moved();
    return std::move(result_);
  }

 private:
  void differs(std::int64_t completed, const std::string& phase, const std::string& name) {
    if (result_.divergence) {
      ++result_.divergence->folded;
      return;
    }
    DivergenceReport report;
    report.first = {question_.rank, completed + 1, phase};
    report.name = name;
    report.certified_steps = completed - question_.at;
    report.certified_boundaries = same_;
    result_.divergence = report;
  }

  void compare_state(const BoundaryPair& pair, std::int64_t completed) {
    std::uint64_t compared = 0;
    const auto found = differences(pair, question_.fields, compared);
    result_.boundaries += compared;
    if (!result_.divergence) same_ += compared - found.size();
    for (const auto& difference : found) {
      result_.batches_differ = result_.batches_differ || difference.batch;
      differs(completed, pair.across ? "end" : "begin", difference.name);
    }
  }

  void compare_traces(std::int64_t completed, bool first_step) {
    const auto order = traces_of(source_, completed);
    const auto source = by_phase(order), target = by_phase(traces_of(target_, completed));
    std::map<std::string, std::size_t> met;
    for (const auto* trace : order) {
      const auto place = met[trace->phase]++;
      if (question_.differing.contains(traced_field(trace->phase))) continue;
      const auto other = target.find(trace->phase);
      if (other == target.end()) {
        miss(trace->phase, "only the uninterrupted run has it");
        continue;
      }
      const auto count = source.at(trace->phase).size();
      const auto surplus =
          static_cast<std::ptrdiff_t>(count) - static_cast<std::ptrdiff_t>(other->second.size());
      if (surplus != 0 && !first_step) {
        miss(trace->phase, "it occurs more often in one of the legs");
        continue;
      }
      const auto index = static_cast<std::ptrdiff_t>(place) - surplus;
      if (index < 0) continue;
      ++result_.boundaries;
      if (other->second[static_cast<std::size_t>(index)] == trace->digest) {
        same_ += !result_.divergence;
        continue;
      }
      if (trace->phase == "batch") result_.batches_differ = true;
      differs(completed, trace->phase, trace->phase);
    }
  }

  void miss(const std::string& phase, const std::string& why) {
    const std::pair<std::string, std::string> entry{"boundary " + phase, why};
    auto& list = result_.not_compared;
    if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
  }

  bool parameters_moved() const {
    const auto first = boundaries_at(source_, source_, question_.at);
    const auto last = boundaries_at(source_, source_, question_.at + result_.steps);
    if (!first || !last || result_.steps == 0) return false;
    const auto& fields = first.source->fields;
    const auto is_of = [](const auto& field, std::string_view kind) {
      return FieldPath(field.first).component_kind() == kind;
    };
    // Tensors that belong to no module are trained, too: by their own paths, and by their slots.
    const bool has_model = std::any_of(fields.begin(), fields.end(),
                                       [&](const auto& field) { return is_of(field, "model"); });
    return std::any_of(fields.begin(), fields.end(), [&](const auto& field) {
      const bool trained =
          has_model ? is_of(field, "model") : is_of(field, "extra") || is_of(field, "optimizer");
      const auto after = last.source->fields.find(field.first);
      return trained && after != last.source->fields.end() && after->second != field.second;
    });
  }

  const StepLog& source_;
  const StepLog& target_;
  const StepsQuestion& question_;
  StepsComparison result_;
  std::uint64_t same_ = 0;
};

}  // namespace

StepsComparison compare_steps(const StepLog& source, const StepLog& target,
                              const StepsQuestion& question) {
  return Walk(source, target, question).run();
}

std::vector<std::string> last_boundary_differences(const StepLog& source, const StepLog& target,
                                                   const std::set<std::string>& fields,
                                                   bool& compared) {
  compared = false;
  if (target.begins.empty()) return {};
  const auto pair = boundaries_at(source, target, target.begins.back().completed);
  if (!pair) return {};
  std::uint64_t count = 0;
  const auto found = differences(pair, fields, count);
  compared = count > 0;
  std::vector<std::string> names;
  for (const auto& difference : found) names.push_back(difference.name);
  return names;
}

}  // namespace samestep
