#include "resume_check/leg.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <optional>

#include "checkpoint/files/whole_file.h"
#include "resume_check/cancel.h"
#include "resume_check/child.h"
#include "resume_check/refusals.h"
#include "resume_check/shortage.h"
#include "schemas/error.h"
#include "schemas/json/node.h"
#include "schemas/json/plan_json.h"

namespace samestep {
namespace {

constexpr std::size_t kLinesShown = 4;
constexpr std::size_t kLineBytes = 160;

[[noreturn]] void fail(const LegRequest& request, const std::string& log, const std::string& what,
                       const std::string& remedy) {
  throw Error(ErrorCode::failed, what + " (log " + log_hint(log) + ")", request.name + " leg",
              remedy);
}

void refuse_bad_end(const LegRequest& request, const ChildEnd& end, const std::string& log) {
  if (end.cancelled) {
    throw Error(ErrorCode::failed, "interrupted, no verdict was reached", request.name + " leg",
                "logs are kept in " + request.folder);
  }
  if (end.timed_out) {
    fail(request, log,
         "did not end within " + std::to_string(std::lround(request.seconds_max)) +
             " s and was ended",
         "look at the log, or give it more time");
  }
}

/// The ranks have recorded all that the plan asks for, whatever the exit status says.
bool is_whole(const LegOutcome& outcome, const Plan& plan) {
  const auto complete = [&](const RankRecord& rank) {
    const bool captured = plan.final_only || rank.capture.has_value();
    return captured && rank.log.closed && !rank.log.begins.empty();
  };
  return !outcome.ranks.empty() &&
         std::all_of(outcome.ranks.begin(), outcome.ranks.end(), complete);
}

std::string ended(int status) {
  return status > 128 ? "was ended by signal " + std::to_string(status - 128)
                      : "failed with exit status " + std::to_string(status);
}

/// With which the hooks end a trainer whose --at could mean several steps
/// (python/samestep/stop.py).
constexpr int kUnclearStepStatus = 87;

[[noreturn]] void refuse_failed(const LegRequest& request, const std::string& log, int status,
                                const std::vector<RankRecord>& ranks) {
  if (const auto shortage = disk_shortage(request.folder, log, ranks)) {
    fail(request, log, "the disk is full: " + *shortage, kShortageRemedy);
  }
  if (status == kUnclearStepStatus) {
    fail(
        request, log,
        "was ended: its optimizers step at different paces, which leaves open what step --at means",
        "leave --at out, the step is then told by when the checkpoint appears");
  }
  fail(request, log, ended(status), "make the command work by itself first");
}

int world_size_of(const std::vector<RankRecord>& ranks) {
  int size = static_cast<int>(ranks.size());
  for (const auto& rank : ranks) {
    if (rank.capture) size = std::max(size, rank.capture->world_size);
  }
  return size;
}

void refuse_missing_ranks(const LegRequest& request, const LegOutcome& outcome) {
  if (static_cast<int>(outcome.ranks.size()) == outcome.world_size) return;
  std::string heard;
  for (const auto& rank : outcome.ranks)
    heard += (heard.empty() ? "" : ", ") + std::to_string(rank.rank);
  fail(request, outcome.report.log,
       "only " + std::to_string(outcome.ranks.size()) + " of " +
           std::to_string(outcome.world_size) + " ranks were heard (" + heard + ")",
       "all ranks must run on this machine and reach the step");
}

std::int64_t last_step(const RankRecord& rank, const Plan& plan) {
  return rank.log.begins.empty() ? plan.start : rank.log.begins.back().completed;
}

/// Its log ends in the middle, before the plan's last boundary.
bool broke_off(const RankRecord& rank, const Plan& plan) {
  if (rank.log.closed) return false;
  const auto at = rank.capture ? std::optional(rank.capture->completed) : plan.at;
  return !at || last_step(rank, plan) < *at + plan.steps;
}

/// A launcher may end well where a rank has died. The others were compared with less than they did.
void refuse_broken_ranks(const LegRequest& request, const LegOutcome& outcome, const Plan& plan) {
  if (outcome.world_size == 1) return;
  std::string broken;
  for (const auto& rank : outcome.ranks)
    if (broke_off(rank, plan))
      broken += (broken.empty() ? "rank " : ", rank ") + std::to_string(rank.rank) +
                " after step " + std::to_string(last_step(rank, plan));
  if (broken.empty()) return;
  fail(request, outcome.report.log, "broke off, though its launcher did not fail: " + broken,
       "look at the log for what ended the rank that came least far");
}

/// The bindings' last word: {"known": [...], "stepping": [...]}.
std::vector<std::string> stepping_of(const StepLog& log) {
  std::vector<std::string> names;
  for (const auto& event : log.events) {
    if (event.name != "optimizers") continue;
    names.clear();
    const auto stepping = JsonNode::parse(event.json, "event optimizers").find("stepping");
    if (!stepping) continue;
    for (const auto& name : stepping->elements()) names.push_back(name.as_string());
  }
  return names;
}

std::vector<RankRecord> records_of(const LegRequest& request, const Plan& plan, int status,
                                   const std::string& log) {
  std::vector<RankRecord> ranks;
  try {
    ranks = read_run(plan.run);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
  }
  if (!ranks.empty()) return ranks;
  if (status != 0) refuse_failed(request, log, status, ranks);
  if (const auto shortage = disk_shortage(request.folder, log, ranks)) {
    fail(request, log, "the disk is full: " + *shortage, kShortageRemedy);
  }
  refuse_unrecorded(request, log);
}

}  // namespace

std::string log_hint(const std::string& log) {
  std::ifstream file(log, std::ios::binary);
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty()) continue;
    lines.push_back(printable(line, kLineBytes));
    if (lines.size() > kLinesShown) lines.pop_front();
  }
  if (lines.empty()) return log + ", which is empty";
  std::string text = log + ", which ends: ";
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i ? " | " : "") + lines[i];
  return text;
}

LegOutcome run_leg(const LegRequest& request, const Progress& progress) {
  throw_if_cancelled("audit");
  Plan plan = request.plan;
  plan.leg = request.name;
  plan.run = request.folder + "/run";
  plan.out = request.folder + "/out";
  const std::string plan_path = request.folder + "/plan.json", log = request.folder + "/log.txt";
  write_whole_file(plan_path, plan_to_json(plan));

  ChildRequest child;
  child.argv = request.argv;
  child.environment = {{"SAMESTEP_PLAN", plan_path}};
  child.log = log;
  child.seconds_max = request.seconds_max;
  child.tick = [&](double seconds) {
    if (progress) progress(request.name + " leg: " + std::to_string(std::lround(seconds)) + " s");
  };
  if (progress) progress(request.name + " leg: started");
  const ChildEnd end = run_child(child);
  refuse_bad_end(request, end, log);

  LegOutcome outcome;
  outcome.report = {request.name, request.argv, end.status, end.seconds, log, 0};
  outcome.ranks = records_of(request, plan, end.status, log);
  outcome.world_size = world_size_of(outcome.ranks);
  outcome.stepping = stepping_of(outcome.ranks.front().log);
  if (end.status != 0 && !is_whole(outcome, plan)) {
    refuse_failed(request, log, end.status, outcome.ranks);
  }
  refuse_missing_ranks(request, outcome);
  refuse_broken_ranks(request, outcome, plan);
  for (const auto& rank : outcome.ranks) {
    for (const auto& begin : rank.log.begins)
      outcome.report.steps = std::max(outcome.report.steps, begin.completed - plan.start);
  }
  return outcome;
}

}  // namespace samestep
