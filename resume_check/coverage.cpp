#include "resume_check/coverage.h"

#include <algorithm>
#include <map>

#include "resume_check/evidence.h"
#include "resume_check/grade.h"
#include "schemas/count_text.h"
#include "schemas/json/node.h"

namespace samestep {
namespace {

/// A stream that the run drew from between the save and the step is no fault of the file.
void note_saved_stream(const FieldFate& fate, Coverage& coverage) {
  if (!fate.stream || !fate.stream->as_saved || fate.fate != Fate::kept) return;
  if (!fate.match || fate.match->equal) return;
  const std::pair<std::string, std::string> note{
      stream_of(fate.path) + " of the file against the step", since_save(*fate.stream)};
  auto& list = coverage.not_compared;
  if (std::find(list.begin(), list.end(), note) == list.end()) list.push_back(note);
}

void read_left_out(const LogEvent& event, std::map<std::string, std::string>& why) {
  if (event.name != "left_out") return;
  const auto data = JsonNode::parse(event.json, "event left_out");
  const auto field = data.find("field"), reason = data.find("why");
  if (field && reason) why.emplace(field->as_string(), reason->as_string());
}

/// Which parameters a group of an optimizer has: what the slots' names and places say.
bool is_list_of_parameters(const FieldPath& path) {
  const auto parts = path.parts();
  return path.component_kind() == "optimizer" && parts.size() > 3 && parts[1] == "param_groups" &&
         (parts[3] == "params" || parts[3] == "param_names");
}

}  // namespace

void cover_fields(const std::vector<FieldFate>& fates, Coverage& coverage) {
  for (const auto& fate : fates) {
    if (fate.fate == Fate::extra) continue;
    if (fate.field().kind == FieldKind::opaque) {
      coverage.not_compared.emplace_back(
          fate.path.text(),
          "an object of class " + fate.field().class_name + ", compared by its class only");
      continue;
    }
    ++coverage.fields_compared;
    ++coverage.by_component[fate.path.component()];
    coverage.fields_equal += fate.fate == Fate::kept || fate.fate == Fate::rederived;
    note_saved_stream(fate, coverage);
    if (fate.drifted) ++coverage.ignored["the same value in another representation"];
  }
}

void cover_left_out(const std::vector<RankRecord>& uninterrupted,
                    const std::vector<RankRecord>& resumed, Coverage& coverage) {
  constexpr std::size_t kToldMax = 12;
  std::map<std::string, std::string> why;
  for (const auto* leg : {&uninterrupted, &resumed}) {
    for (const auto& rank : *leg) {
      for (const auto& event : rank.log.events) read_left_out(event, why);
    }
  }
  std::size_t told = 0;
  for (const auto& [field, reason] : why) {
    if (told++ < kToldMax) coverage.not_compared.emplace_back(field, "left out: " + reason);
  }
  if (why.size() > kToldMax)
    coverage.not_compared.emplace_back(count_text(why.size() - kToldMax, "other"),
                                       "left out: too large");
}

std::vector<std::string> unwatched_by_all(const std::vector<Alignment>& ranks) {
  std::map<std::string, std::size_t> missed;
  for (const auto& rank : ranks) {
    for (const auto* entry : rank.unmatched)
      if (!is_list_of_parameters(entry->field.path)) ++missed[entry->field.path.text()];
  }
  std::vector<std::string> unwatched;
  for (const auto& [path, count] : missed) {
    if (count == ranks.size()) unwatched.push_back(path);
  }
  return unwatched;
}

}  // namespace samestep
