// Parts of a report's JSON form: findings, coverage, legs. For schemas/json alone.
#pragma once

#include "schemas/json/field_json.h"
#include "schemas/report.h"

namespace samestep {

void write_side(JsonWriter& writer, const Side& side);
Side read_side(const JsonNode& node);

void write_finding(JsonWriter& writer, const Finding& finding);
Finding read_finding(const JsonNode& node);

void write_coverage(JsonWriter& writer, const Coverage& coverage);
Coverage read_coverage(const JsonNode& node);

void write_divergence(JsonWriter& writer, const std::optional<DivergenceReport>& divergence);
DivergenceReport read_divergence(const JsonNode& node);

void write_leg(JsonWriter& writer, const LegReport& leg);
LegReport read_leg(const JsonNode& node);

}  // namespace samestep
