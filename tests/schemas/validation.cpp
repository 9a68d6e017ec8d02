#include "tests/schemas/validation.h"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "schemas/schema_text.h"

namespace samestep {

std::string validation_errors(std::string_view schema, const std::string& document) {
  const auto schema_json = nlohmann::json::parse(schema_text(schema));
  valijson::Schema parsed;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), parsed);

  const auto json = nlohmann::json::parse(document);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  if (validator.validate(parsed, valijson::adapters::NlohmannJsonAdapter(json), &results)) {
    return {};
  }
  std::string text = "not valid against " + std::string(schema);
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const std::string& part : error.context) text += "\n  " + part;
    text += ": " + error.description;
  }
  return text;
}

}  // namespace samestep
