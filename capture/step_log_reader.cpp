#include "capture/step_log_reader.h"

#include <string_view>
#include <utility>

#include "checkpoint/compressor.h"
#include "checkpoint/files/mapped_file.h"
#include "schemas/error.h"
#include "schemas/json/node.h"
#include "schemas/json/writer.h"

namespace samestep {
namespace {

constexpr const char* kSchema = "step_log.v1";

void read_head(const JsonNode& line, StepLog& log) {
  const std::string schema = line.at("schema").as_string();
  if (schema != kSchema) {
    throw Error(ErrorCode::unsupported, "step log of version " + printable(schema), line.where(),
                "use a newer samestep");
  }
  log.leg = line.at("leg").as_string();
  log.rank = static_cast<int>(line.at("rank").as_int());
  log.world_size = static_cast<int>(line.at("world_size").as_int());
  log.start = line.at("start").as_int();
}

void read_begin(const JsonNode& line, StepLog& log) {
  LogBegin begin;
  begin.completed = line.at("completed").as_int();
  begin.phase = line.at("phase").as_string();
  for (const JsonNode& field : line.at("fields").items()) {
    begin.fields.emplace(field.key(), Digest::from_hex(field.as_string()));
  }
  for (const JsonNode& value : line.at("values").items())
    begin.values.emplace(value.key(), value.as_string());
  const bool again = !log.begins.empty() && log.begins.back().completed == begin.completed &&
                     log.begins.back().phase == begin.phase;
  if (again) log.begins.pop_back();
  log.begins.push_back(std::move(begin));
}

void read_trace(const JsonNode& line, StepLog& log) {
  log.traces.push_back({line.at("completed").as_int(), line.at("phase").as_string(),
                        Digest::from_hex(line.at("digest").as_string())});
}

/// A call "beside X" did not touch the field: it was looked at when X was loaded.
void read_loaded(const JsonNode& line, StepLog& log) {
  const std::string& field = line.at("field").as_string();
  log.loaded[field].push_back(Digest::from_hex(line.at("digest").as_string()));
  if (!line.at("call").as_string().starts_with("beside ")) {
    log.loaded_components.insert(FieldPath(field).component());
  }
}

void read_dead_gradients(const JsonNode& line, StepLog& log) {
  for (const JsonNode& field : line.at("fields").elements())
    log.dead_gradients.push_back(field.as_string());
}

/// The object of an event, as it stands in the line: it is the last member.
std::string data_of(std::string_view text) {
  const std::size_t begin = text.find(R"("data":)");
  return begin == std::string_view::npos
             ? "{}"
             : std::string(text.substr(begin + 7, text.size() - begin - 8));
}

void read_line(std::string_view text, const std::string& where, StepLog& log) {
  const JsonNode line = JsonNode::parse(text, where);
  const std::string& kind = line.at("line").as_string();
  if (kind == "head") return read_head(line, log);
  if (kind == "begin") return read_begin(line, log);
  if (kind == "trace") return read_trace(line, log);
  if (kind == "loaded") return read_loaded(line, log);
  if (kind == "dead_gradients") return read_dead_gradients(line, log);
  if (kind == "event") return log.events.push_back({line.at("name").as_string(), data_of(text)});
  if (kind == "closed") {
    log.closed = true;
    return;
  }
  line.fail("a line of an unknown kind", "use a newer samestep");
}

}  // namespace

StepLog read_step_log(const std::string& path) {
  const auto file = MappedFile::open(path);
  const Frames frames = decompress_frames(file->bytes(), path);
  StepLog log;
  log.torn = !frames.whole;
  for (std::string_view rest = frames.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string where = path + " line " + std::to_string(++log.lines);
    if (log.lines == 1 && !rest.starts_with(R"({"line":"head")")) {
      throw Error(ErrorCode::corrupt, "the first line is not a head", where,
                  "record the run again");
    }
    read_line(rest.substr(0, end), where, log);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return log;
}

}  // namespace samestep
