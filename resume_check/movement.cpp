#include "resume_check/movement.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "checkpoint/hasher.h"

namespace samestep {

Movement::Movement(const StepLog& log) {
  for (const auto& begin : log.begins) {
    if (begin.phase != "begin") continue;
    boundaries_[begin.completed] = begin.fields.size();
    for (const auto& [path, digest] : begin.fields) begins_[path][begin.completed] = digest;
  }
}

bool Movement::moved(const std::string& path) const {
  return !boundaries_.empty() && moved_since(path, boundaries_.begin()->first);
}

bool Movement::moved_since(const std::string& path, std::int64_t completed) const {
  const auto found = begins_.find(path);
  if (found == begins_.end()) return false;
  std::set<Digest> values;
  std::size_t seen = 0, expected = 0;
  for (auto it = found->second.lower_bound(completed); it != found->second.end(); ++it, ++seen) {
    values.insert(it->second);
  }
  for (auto it = boundaries_.lower_bound(completed); it != boundaries_.end(); ++it) ++expected;
  return values.size() > 1 || (seen > 0 && seen < expected);
}

std::optional<std::int64_t> Movement::step_of(const std::string& path, const Digest& digest,
                                              std::int64_t except) const {
  const auto found = begins_.find(path);
  if (found == begins_.end()) return std::nullopt;
  std::optional<std::int64_t> nearest;
  for (const auto& [completed, value] : found->second) {
    if (value != digest || completed == except) continue;
    if (!nearest || std::abs(completed - except) < std::abs(*nearest - except)) nearest = completed;
  }
  return nearest;
}

std::optional<Digest> Movement::at_start(const std::string& path) const {
  const auto first = first_step();
  return first ? at(path, *first) : std::nullopt;
}

std::optional<std::int64_t> Movement::first_step() const {
  if (boundaries_.empty()) return std::nullopt;
  return boundaries_.begin()->first;
}

std::optional<Digest> Movement::at(const std::string& path, std::int64_t completed) const {
  const auto found = begins_.find(path);
  if (found == begins_.end()) return std::nullopt;
  const auto value = found->second.find(completed);
  return value == found->second.end() ? std::nullopt : std::optional(value->second);
}

bool Movement::agrees_after(const Movement& other, const std::string& path,
                            std::int64_t completed) const {
  std::size_t compared = 0;
  for (auto it = boundaries_.upper_bound(completed); it != boundaries_.end(); ++it) {
    if (!other.boundaries_.contains(it->first)) continue;
    const auto mine = at(path, it->first), theirs = other.at(path, it->first);
    if (!mine || mine != theirs) return false;
    ++compared;
  }
  return compared > 0;
}

bool Movement::meets(const Movement& other, const std::string& path) const {
  const auto mine = begins_.find(path), theirs = other.begins_.find(path);
  if (mine == begins_.end() || theirs == other.begins_.end()) return false;
  std::set<Digest> values;
  for (const auto& [completed, digest] : mine->second) values.insert(digest);
  values.erase(digest_of(Value(0.0)).root);
  values.erase(digest_of(Value(std::int64_t{0})).root);
  return std::any_of(theirs->second.begin(), theirs->second.end(),
                     [&](const auto& begin) { return values.contains(begin.second); });
}

}  // namespace samestep
