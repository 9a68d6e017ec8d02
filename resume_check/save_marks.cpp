#include "resume_check/save_marks.h"

#include "schemas/json/node.h"

namespace samestep {
namespace {

/// The data of each save call of the step.
std::vector<JsonNode> saves_of(const StepLog& log, std::int64_t completed) {
  std::vector<JsonNode> found;
  for (const auto& event : log.events) {
    if (event.name != "save") continue;
    auto data = JsonNode::parse(event.json, "event save");
    const auto when = data.find("completed");
    if (when && log.start + when->as_int() == completed) found.push_back(std::move(data));
  }
  return found;
}

}  // namespace

std::vector<StreamMarks> streams_at_saves(const StepLog& log, std::int64_t completed) {
  std::vector<StreamMarks> all;
  for (const auto& data : saves_of(log, completed)) {
    for (const char* side : {"before", "after"}) {
      const auto streams = data.find(side);
      if (!streams) continue;
      StreamMarks marks;
      for (const auto& mark : streams->items()) marks[mark.key()] = mark.as_string();
      all.push_back(std::move(marks));
    }
  }
  return all;
}

UndeclaredMarks::UndeclaredMarks(const StepLog& log, std::int64_t completed) {
  for (const auto& data : saves_of(log, completed)) {
    const auto fields = data.find("undeclared");
    if (!fields) continue;
    for (const auto& mark : fields->items())
      digests_[FieldPath(mark.key()).leaf()].insert(mark.as_string());
  }
}

bool UndeclaredMarks::had(const std::string& leaf, const Digest& digest) const {
  const auto found = digests_.find(leaf);
  return found != digests_.end() && found->second.contains(digest.hex());
}

}  // namespace samestep
