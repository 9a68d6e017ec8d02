#include "schemas/contracts/state_contracts.h"

#include <map>
#include <string>

#include "schemas/check.h"

namespace samestep {

// Written by samestep_embed (CMakeLists.txt).
extern const char* const kStateContractTexts[][2];
extern const unsigned kStateContractCount;

namespace {

using Contracts = std::map<std::string, JsonNode, std::less<>>;

const Contracts& contracts() {
  static const Contracts all = [] {
    Contracts parsed;
    for (unsigned i = 0; i < kStateContractCount; ++i) {
      const auto& [name, text] = kStateContractTexts[i];
      parsed.emplace(name, JsonNode::parse(text, "contracts/" + std::string(name) + ".json"));
    }
    return parsed;
  }();
  return all;
}

}  // namespace

std::vector<std::string_view> state_contract_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, contract] : contracts()) names.push_back(name);
  return names;
}

const JsonNode& state_contract(std::string_view component) {
  const auto found = contracts().find(component);
  SAMESTEP_CHECK(found != contracts().end());
  return found->second;
}

}  // namespace samestep
