#include "capture/checkpoint_copy.h"

#include <chrono>
#include <cstdio>
#include <thread>

#include "checkpoint/files/copy_tree.h"
#include "checkpoint/files/file_stamp.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/glob.h"
#include "checkpoint/files/system_error.h"

namespace samestep {
namespace {

constexpr std::int64_t kRestMs = 50;

std::int64_t now_ms() {
  using std::chrono::milliseconds;
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(since).count();
}

void rename_folder(const std::string& source, const std::string& target) {
  if (std::rename(source.c_str(), target.c_str()) != 0)
    throw system_error(errno, "cannot rename to", target);
}

}  // namespace

CheckpointCopy::CheckpointCopy(const Plan& plan, CheckpointLooker looker)
    : plan_(plan), looker_(std::move(looker)), done_(plan.copy_to.empty()) {
  if (!plan_.checkpoint.empty()) find_matches(plan_.out, plan_.checkpoint);
}

bool CheckpointCopy::is_there() const {
  return !plan_.checkpoint.empty() && !plan_.out.empty() &&
         !find_matches(plan_.out, plan_.checkpoint).empty();
}

std::optional<std::string> CheckpointCopy::only_match() const {
  if (plan_.checkpoint.empty())
    return is_folder(plan_.out) ? std::optional<std::string>("") : std::nullopt;
  const auto matches = find_matches(plan_.out, plan_.checkpoint);
  return matches.size() == 1 ? std::optional(matches.front()) : std::nullopt;
}

CheckpointCopy::Look CheckpointCopy::look_at(const std::string& match) const {
  return stamps_below(match.empty() ? plan_.out : plan_.out + "/" + match);
}

bool CheckpointCopy::attempt(std::int64_t at, const CopyEffort& effort) {
  if (done_) return true;
  const auto match = only_match();
  if (match && is_at_rest(*match, effort.wait) && seen_ != judged_) done_ = copy_now(*match, at);
  if (!done_ && effort.take_aside && set_aside_) done_ = accept(plan_.copy_to + ".aside");
  return done_;
}

bool CheckpointCopy::is_at_rest(const std::string& match, bool wait) {
  Look look = look_at(match);
  if (look.empty()) return false;
  if (!seen_ms_ || look != seen_) {
    seen_ = std::move(look);
    seen_ms_ = now_ms();
  }
  const std::int64_t left_ms = *seen_ms_ + kRestMs - now_ms();
  if (left_ms <= 0) return true;
  if (!wait) return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(left_ms));
  return look_at(match) == seen_;
}

bool CheckpointCopy::copy_now(const std::string& match, std::int64_t at) {
  const std::string trial = plan_.copy_to + ".trial", aside = plan_.copy_to + ".aside";
  remove_tree(trial);
  copy_tree(plan_.out, trial);
  if (look_at(match) != seen_) {  // it changed under the copy
    seen_ms_.reset();
    remove_tree(trial);
    return false;
  }
  judged_ = seen_;
  const CheckpointLook look =
      match.empty() ? CheckpointLook{true, true, {}} : looker_(trial + "/" + match);
  if (look.readable && look.is_complete && (!look.step || *look.step == at)) return accept(trial);
  if (look.readable && !set_aside_) {
    rename_folder(trial, aside);
    set_aside_ = true;
  }
  remove_tree(trial);
  return false;
}

bool CheckpointCopy::accept(const std::string& folder) {
  rename_folder(folder, plan_.copy_to);
  remove_tree(plan_.copy_to + ".aside");
  return true;
}

}  // namespace samestep
