#include "tools/prune_result.h"

#include <algorithm>

#include "schemas/error.h"
#include "schemas/json/writer.h"
#include "tools/render/text_parts.h"

namespace samestep {
namespace {

constexpr std::size_t kStepsShown = 20;

std::string steps_text(const std::vector<std::int64_t>& steps) {
  std::string text = count_text(steps.size(), "capture");
  for (std::size_t i = 0; i < std::min(steps.size(), kStepsShown); ++i)
    text += (i == 0 ? ": " : ", ") + std::to_string(steps[i]);
  return text + (steps.size() > kStepsShown ? ", ..." : "");
}

std::string packs_text(const std::vector<PrunedPack>& packs) {
  const auto count = [&](PrunedPack::Fate fate) {
    return std::to_string(std::ranges::count(packs, fate, &PrunedPack::fate)) + " " +
           std::string(to_string(fate));
  };
  return count(PrunedPack::Fate::kept) + ", " + count(PrunedPack::Fate::rewritten) + ", " +
         count(PrunedPack::Fate::removed);
}

void write_steps(JsonWriter& json, const char* key, const std::vector<std::int64_t>& steps) {
  json.key(key).array(true);
  for (const std::int64_t step : steps) json.integer(step);
  json.end();
}

}  // namespace

std::string prune_text(const PruneOutcome& outcome, bool dry_run) {
  std::string text;
  for (const std::string& note : outcome.notes) text += "note     " + printable(note, 500) + "\n";
  text += "kept     " + steps_text(outcome.kept) + "\n";
  text += "removed  " + steps_text(outcome.removed) + "\n";
  text += "packs    " + packs_text(outcome.packs) + "\n";
  if (outcome.leftovers > 0)
    text += "leftover " + count_text(outcome.leftovers, "file") + " of killed writers removed\n";
  return text + (dry_run ? "would free " : "freed ") + bytes_text(outcome.bytes_freed) + "\n";
}

std::string prune_json(const PruneOutcome& outcome, const std::string& run, bool dry_run) {
  JsonWriter json(JsonWriter::Style::indented);
  json.object().key("schema").string("prune.v1").key("run").string(run);
  json.key("dry_run").boolean(dry_run);
  write_steps(json, "kept", outcome.kept);
  write_steps(json, "removed", outcome.removed);
  json.key("packs").array();
  for (const PrunedPack& pack : outcome.packs) {
    json.object(true).key("name").string(pack.name).key("fate").string(to_string(pack.fate));
    json.key("bytes").integer(pack.bytes).key("bytes_needed").integer(pack.bytes_needed).end();
  }
  json.end().key("leftovers").integer(outcome.leftovers);
  json.key("bytes_freed").integer(outcome.bytes_freed);
  json.key("notes").array();
  for (const std::string& note : outcome.notes) json.string(note);
  return json.end().end().take();
}

}  // namespace samestep
