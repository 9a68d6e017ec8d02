#include "capture/step_log_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "checkpoint/compressor.h"
#include "checkpoint/files/descriptor.h"
#include "checkpoint/files/system_error.h"
#include "schemas/check.h"
#include "schemas/json/writer.h"

namespace samestep {
namespace {

// A long step's trace does not pile up in memory.
constexpr std::size_t kPendingBytesMax = 1 << 20;

JsonWriter line_of(const char* kind) {
  JsonWriter json;
  json.object().key("line").string(kind);
  return json;
}

}  // namespace

StepLogWriter::StepLogWriter(std::string path, const Head& head) : path_(std::move(path)) {
  const Descriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) throw system_error(errno, "cannot write the step log", path_);
  JsonWriter json = line_of("head");
  json.key("schema").string("step_log.v1");
  json.key("leg").string(head.leg);
  json.key("rank").integer(std::int64_t{head.rank});
  json.key("world_size").integer(std::int64_t{head.world_size});
  json.key("start").integer(head.start);
  add(json.end().take());
  flush();
}

void StepLogWriter::begin(std::int64_t completed, const std::string& phase, bool full,
                          const std::map<std::string, Digest>& fields,
                          const std::map<std::string, std::string>& values) {
  JsonWriter json = line_of("begin");
  json.key("completed").integer(completed).key("phase").string(phase).key("full").boolean(full);
  json.key("fields").object();
  for (const auto& [path, digest] : fields) json.key(path).string(digest.hex());
  json.end().key("values").object();
  for (const auto& [path, text] : values) json.key(path).string(text);
  add(json.end().end().take());
}

void StepLogWriter::trace(std::int64_t completed, const std::string& phase, const Digest& digest) {
  JsonWriter json = line_of("trace");
  json.key("completed").integer(completed).key("phase").string(phase);
  add(json.key("digest").string(digest.hex()).end().take());
}

void StepLogWriter::loaded(const FieldPath& path, const Digest& digest, const std::string& call) {
  JsonWriter json = line_of("loaded");
  json.key("field").string(path.text()).key("digest").string(digest.hex());
  add(json.key("call").string(call).end().take());
}

void StepLogWriter::dead_gradients(const std::vector<std::string>& paths) {
  JsonWriter json = line_of("dead_gradients");
  json.key("fields").array();
  for (const std::string& path : paths) json.string(path);
  add(json.end().end().take());
}

void StepLogWriter::event(const std::string& name, const std::string& json) {
  // Between JSON's tokens a line feed is white space; in a string it cannot stand.
  std::string data = json;
  std::ranges::replace(data, '\n', ' ');
  JsonWriter line = line_of("event");
  add(line.key("name").string(name).key("data").raw(data).end().take());
}

void StepLogWriter::add(const std::string& line) {
  pending_ += line;
  pending_ += '\n';
  if (pending_.size() > kPendingBytesMax) flush();
}

void StepLogWriter::flush() { flush(false); }

void StepLogWriter::flush(bool durably) {
  if (pending_.empty() || !open_) return;
  const std::string text = std::exchange(pending_, {});
  append(compress(std::as_bytes(std::span(text))), durably);
}

void StepLogWriter::append(std::span<const std::byte> frame, bool durably) const {
  const Descriptor file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file) throw system_error(errno, "cannot write the step log", path_);
  const off_t begin = ::lseek(file.get(), 0, SEEK_END);
  while (!frame.empty()) {
    const ssize_t count = ::write(file.get(), frame.data(), frame.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int number = count < 0 ? errno : ENOSPC;
      [[maybe_unused]] const int cut = ::ftruncate(file.get(), begin);
      throw system_error(number, "cannot write the step log", path_);
    }
    frame = frame.subspan(static_cast<std::size_t>(count));
  }
  if (durably && ::fsync(file.get()) != 0) {
    throw system_error(errno, "cannot sync the step log", path_);
  }
}

void StepLogWriter::close() {
  if (!open_) return;
  add(line_of("closed").end().take());
  flush(true);
  open_ = false;
}

}  // namespace samestep
