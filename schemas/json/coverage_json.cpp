// Coverage and legs of a report, in JSON form.
#include "schemas/json/report_parts.h"

namespace samestep {
namespace {

void write_counts(JsonWriter& writer, const std::map<std::string, std::uint64_t>& counts) {
  writer.object(true);
  for (const auto& [name, count] : counts) writer.key(name).integer(count);
  writer.end();
}

std::map<std::string, std::uint64_t> read_counts(const JsonNode& node) {
  std::map<std::string, std::uint64_t> counts;
  for (const JsonNode& member : node.items()) counts.emplace(member.key(), member.as_unsigned());
  return counts;
}

std::vector<int> read_ranks(ObjectReader& reader) {
  std::vector<int> ranks;
  for (const JsonNode& node : reader.get("ranks_heard").elements()) {
    const std::int64_t rank = node.as_int();
    if (rank < 0 || rank > std::numeric_limits<int>::max()) node.fail("no rank has this number");
    ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

}  // namespace

void write_coverage(JsonWriter& writer, const Coverage& coverage) {
  writer.object().key("fields_compared").integer(coverage.fields_compared);
  writer.key("fields_equal").integer(coverage.fields_equal);
  writer.key("boundaries_compared").integer(coverage.boundaries_compared);
  writer.key("steps_compared").integer(coverage.steps_compared);
  writer.key("ranks_heard").array(true);
  for (const int rank : coverage.ranks_heard) writer.integer(std::int64_t{rank});
  writer.end().key("ranks_expected").integer(std::int64_t{coverage.ranks_expected});
  write_counts(writer.key("by_component"), coverage.by_component);
  write_strings(writer.key("unwatched"), coverage.unwatched, false);
  write_pairs(writer.key("not_compared"), coverage.not_compared);
  write_counts(writer.key("ignored"), coverage.ignored);
  writer.key("power").boolean(coverage.power).end();
}

Coverage read_coverage(const JsonNode& node) {
  ObjectReader reader(node);
  Coverage coverage;
  coverage.fields_compared = reader.count("fields_compared");
  coverage.fields_equal = reader.count("fields_equal");
  coverage.boundaries_compared = reader.count("boundaries_compared");
  coverage.steps_compared = reader.integer("steps_compared", 0);
  coverage.ranks_heard = read_ranks(reader);
  coverage.ranks_expected = reader.small("ranks_expected");
  coverage.by_component = read_counts(reader.get("by_component"));
  coverage.unwatched = reader.strings("unwatched");
  coverage.not_compared = read_pairs(reader.get("not_compared"));
  coverage.ignored = read_counts(reader.get("ignored"));
  coverage.power = reader.boolean("power");
  reader.done();
  return coverage;
}

void write_leg(JsonWriter& writer, const LegReport& leg) {
  writer.object().key("name").string(leg.name);
  write_strings(writer.key("argv"), leg.argv);
  writer.key("exit_status").integer(std::int64_t{leg.exit_status});
  writer.key("seconds").number(leg.seconds).key("log").string(leg.log);
  writer.key("steps").integer(leg.steps).end();
}

LegReport read_leg(const JsonNode& node) {
  ObjectReader reader(node);
  LegReport leg;
  leg.name = reader.string("name");
  leg.argv = reader.strings("argv");
  leg.exit_status = reader.small("exit_status", std::numeric_limits<int>::min());
  leg.seconds = reader.number("seconds");
  leg.log = reader.string("log");
  leg.steps = reader.integer("steps", 0);
  reader.done();
  return leg;
}

}  // namespace samestep
