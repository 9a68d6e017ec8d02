#include "resume_check/torch/twin_legs.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "schemas/error.h"

namespace samestep::libtorch {
namespace {

// Two processes whose generators nobody seeds come up with different ones.
constexpr std::uint64_t kFirstSeed = 0x5a3e57e9, kResumedSeed = 0x7e5e3d;

std::string temporary_folder() {
  std::error_code error;
  const auto base = std::filesystem::temp_directory_path(error);
  std::string pattern = (error ? "." : base.string()) + "/samestep-twin-XXXXXX";
  if (mkdtemp(pattern.data())) return pattern;
  throw Error(ErrorCode::failed,
              std::string("no folder for checkpoints can be made: ") + std::strerror(errno),
              pattern, "name one in TwinOptions::folder");
}

std::string given_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return folder;
  throw Error(ErrorCode::failed, "cannot be made: " + error.message(), folder,
              "name another TwinOptions::folder");
}

}  // namespace

TwinLegs::TwinLegs(const TwinFactory& factory, const TwinOptions& options)
    : factory_(factory),
      options_(options),
      folder_(options.folder.empty() ? temporary_folder() : given_folder(options.folder)),
      checkpoint_(folder_ + "/checkpoint-" + std::to_string(options.at)),
      is_temporary_(options.folder.empty()) {}

TwinLegs::~TwinLegs() {
  std::error_code ignored;
  if (is_temporary_) std::filesystem::remove_all(folder_, ignored);
}

LegTask TwinLegs::task(const std::string& name, std::int64_t start) const {
  LegTask task;
  task.name = name;
  task.start = start;
  task.at = options_.at;
  task.steps = options_.steps;
  return task;
}

std::unique_ptr<TwinLeg> TwinLegs::first_leg(LegTask task, const std::string& checkpoint) const {
  auto leg = std::make_unique<TwinLeg>(factory_, std::move(task), kFirstSeed);
  for (std::int64_t i = 0; i < options_.at; ++i) leg->step();
  // What an earlier twin left there is not this one's checkpoint.
  std::error_code error;
  std::filesystem::remove_all(checkpoint, error);
  leg->save(checkpoint);
  return leg;
}

std::unique_ptr<TwinLeg> TwinLegs::resumed_leg(LegTask task) const {
  auto leg = std::make_unique<TwinLeg>(factory_, std::move(task), kResumedSeed);
  leg->restore(checkpoint_);
  return leg;
}

RankRecord TwinLegs::close(const TwinLeg& leg) {
  reports_.push_back(leg.report());
  troubles_.insert(leg.recorder().troubles().begin(), leg.recorder().troubles().end());
  return leg.recorder().record();
}

void TwinLegs::train() {
  LegTask first = task("uninterrupted", 0);
  first.keeps_reference = options_.mode != TwinMode::free_run;
  const auto uninterrupted = first_leg(std::move(first), checkpoint_);
  saved_ = saved_state(checkpoint_, options_.saved, uninterrupted->snapshot());
  const auto resumed = resumed_leg(task("resumed", options_.at));
  std::unique_ptr<TwinLeg> followed;
  if (options_.mode != TwinMode::free_run) {
    LegTask put_right = task("put right", options_.at);
    put_right.mode = options_.mode;
    put_right.follows = &uninterrupted->recorder().reference();
    followed = resumed_leg(std::move(put_right));
  }
  for (std::int64_t i = 0; i < options_.steps; ++i) {
    uninterrupted->step();
    resumed->step();
    if (followed) followed->step();
  }
  uninterrupted_ = {close(*uninterrupted)};
  resumed_ = {close(*resumed)};
  if (!followed) return;
  close(*followed);
  reference_steps_ = uninterrupted->recorder().steps();
  followed_steps_ = followed->recorder().steps();
}

std::vector<RankRecord> TwinLegs::resume_again(const std::string& name, bool last_only) {
  LegTask again = task(name, options_.at);
  again.last_only = last_only;
  const auto leg = resumed_leg(std::move(again));
  for (std::int64_t i = 0; i < options_.steps; ++i) leg->step();
  return {close(*leg)};
}

std::vector<RankRecord> TwinLegs::train_again(const std::string& name) {
  const auto leg = first_leg(task(name, 0), folder_ + "/again-" + std::to_string(options_.at));
  for (std::int64_t i = 0; i < options_.steps; ++i) leg->step();
  return {close(*leg)};
}

}  // namespace samestep::libtorch
