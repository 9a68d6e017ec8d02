#include "schemas/schema_text.h"

#include <map>

#include "schemas/error.h"

namespace samestep {

// Made at build time from schemas/*.schema.json.
extern const char* const kSchemaTexts[][2];
extern const unsigned kSchemaCount;

namespace {

const std::map<std::string, std::string, std::less<>>& schemas() {
  static const auto* const all = [] {
    auto* texts = new std::map<std::string, std::string, std::less<>>;
    for (unsigned i = 0; i < kSchemaCount; ++i) {
      texts->emplace(kSchemaTexts[i][0], kSchemaTexts[i][1]);
    }
    return texts;
  }();
  return *all;
}

}  // namespace

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : schemas()) names.push_back(name);
  return names;
}

const std::string& schema_text(std::string_view name) {
  const auto found = schemas().find(name);
  if (found != schemas().end()) return found->second;
  std::string names;
  for (const std::string& known : schema_names()) names += (names.empty() ? "" : ", ") + known;
  throw Error(ErrorCode::not_found, "no schema has this name", std::string(name),
              "choose one of " + names);
}

}  // namespace samestep
