#include "resume_check/op_search.h"

#include <algorithm>

#include "resume_check/cancel.h"
#include "resume_check/examine.h"
#include "resume_check/op_compare.h"
#include "resume_check/op_records.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr const char* kWhat = "operators";

const RankRecord* of_rank(const std::vector<RankRecord>& ranks, int rank) {
  const auto found = std::find_if(ranks.begin(), ranks.end(),
                                  [&](const RankRecord& record) { return record.rank == rank; });
  return found == ranks.end() ? nullptr : &*found;
}

class Search {
 public:
  Search(const OpQuestion& question, std::int64_t step) : question_(question), step_(step) {
    plan_.at = question.at;
    plan_.steps = step - question.at;
    plan_.operators_at = step - 1;
    plan_.trace = plan_.log_begins = false;
    plan_.final_only = true;
  }

  OpSearch run(const RunLeg& resumed, const RunLeg& uninterrupted) {
    OpRecords target, source;
    if (!trace("resumed", resumed, question_.resumed, target)) return result_;
    if (!trace("uninterrupted", uninterrupted, question_.uninterrupted, source)) return result_;
    const OpComparison comparison = compare_operators(source, target);
    result_.found = comparison.first;
    if (result_.found) {
      result_.found->where.rank = question_.divergence->first.rank;
      result_.found->where.step = step_;
      name_input(*result_.found);
      auto& evidence = result_.found->evidence;
      evidence.insert(evidence.end(), unrepeated_.begin(), unrepeated_.end());
    } else {
      tell("the " + std::to_string(comparison.compared) + " operators of step " +
           std::to_string(step_) +
           " are the same in both legs: the difference comes from where no operator is seen "
           "(compiled code, another thread, memory that is written by other means), or did not "
           "come again");
    }
    return result_;
  }

 private:
  /// State has the same digest in the record of the step's begin.
  void name_input(OperatorReport& op) const {
    const auto& digest = op.uninterrupted.digest;
    const RankRecord* rank = of_rank(question_.uninterrupted, op.where.rank);
    if (op.differs != "inputs" || !digest || rank == nullptr) return;
    for (const LogBegin& begin : rank->log.begins) {
      if (begin.completed != step_ - 1) continue;
      for (const auto& [path, field] : begin.fields) {
        if (field != *digest) continue;
        op.evidence.push_back("at the begin of the step " + path + " held these bytes in the " +
                              "uninterrupted leg");
        return;
      }
    }
  }

  void tell(const std::string& why) { result_.not_compared.emplace_back(kWhat, why); }

  bool trace(const std::string& leg, const RunLeg& run, const std::vector<RankRecord>& before,
             OpRecords& records) {
    try {
      const LegOutcome outcome = run("operators." + leg, plan_);
      const RankRecord* rank = of_rank(outcome.ranks, question_.divergence->first.rank);
      if (rank != nullptr) records = operators_of(rank->log);
      look_at_repetition(leg, before, outcome.ranks);
    } catch (const Error& error) {
      throw_if_cancelled("audit");
      tell("were not traced: " + std::string(error.what()));
      return false;
    }
    if (records.traced) {
      if (!records.error.empty())
        tell("the trace of the " + leg + " leg ended early: " + records.error);
      return true;
    }
    tell("were not traced: " + (records.untraced.empty()
                                    ? "the " + leg + " leg left no record of them"
                                    : records.untraced));
    return false;
  }

  /// A leg that ends otherwise than the one it repeats may part elsewhere, too.
  void look_at_repetition(const std::string& leg, const std::vector<RankRecord>& before,
                          const std::vector<RankRecord>& again) {
    const auto repeated =
        repetition_of(before, again, question_.stable, question_.at, plan_.steps, false);
    if (repeated.compared && !repeated.differences.empty()) {
      unrepeated_.push_back("traced again, the " + leg +
                            " leg did not repeat itself: " + repeated.differences.front() +
                            " differs after step " + std::to_string(step_));
    }
  }

  const OpQuestion& question_;
  const std::int64_t step_;
  Plan plan_;
  OpSearch result_;
  std::vector<std::string> unrepeated_;
};

}  // namespace

std::int64_t step_to_trace(const DivergenceReport& divergence) {
  const std::string& phase = divergence.first.phase;
  return divergence.first.step - (phase == "begin" || phase == "end" ? 1 : 0);
}

OpSearch search_operators(const OpQuestion& question, const RunLeg& resumed,
                          const RunLeg& uninterrupted) {
  OpSearch nothing;
  if (!question.divergence) {
    nothing.not_compared.emplace_back(
        kWhat, "were not traced: the compared steps are the same, there was nothing to look for");
    return nothing;
  }
  const std::int64_t step = step_to_trace(*question.divergence);
  if (step <= question.at) {
    nothing.not_compared.emplace_back(
        kWhat, "were not traced: the legs part before the first step that both make");
    return nothing;
  }
  return Search(question, step).run(resumed, uninterrupted);
}

}  // namespace samestep
