#include "tools/subject.h"

#include <sys/stat.h>

#include "checkpoint/hasher.h"
#include "schemas/error.h"

namespace samestep {
namespace {

void count(Inspection& inspection, const Field& field) {
  ComponentCount& component = inspection.components[field.path.component()];
  component.fields += 1;
  component.bytes += field.bytes;
}

void add_tree(Inspection& inspection, const StateTree& tree, int rank,
              const DigestChoice& digests) {
  for (const StateEntry& entry : tree.entries()) {
    InspectedField out{entry.field, {}, rank};
    const Field& field = entry.field;
    if (!digests.xxh3) {
      out.field.digest.reset();
    } else if (!field.digest && entry.bytes) {
      out.field.digest = digest_of(*entry.bytes, field.dtype, field.shape).root;
    }
    if (digests.sha256 && entry.bytes) out.sha256 = sha256_of(*entry.bytes);
    count(inspection, field);
    inspection.fields.push_back(std::move(out));
  }
}

void describe(Inspection& inspection, const Checkpoint& checkpoint, const DigestChoice& digests) {
  inspection.format = checkpoint.format;
  inspection.step = checkpoint.step;
  inspection.step_source = checkpoint.step_source;
  inspection.notes = checkpoint.notes;
  for (const Problem& problem : checkpoint.problems) {
    inspection.warnings.push_back(problem.where + ": " + problem.message);
  }
  add_tree(inspection, checkpoint.tree, 0, digests);
}

void describe(Inspection& inspection, const std::vector<RankRecord>& ranks,
              const DigestChoice& digests) {
  inspection.format = "samestep capture";
  for (const RankRecord& record : ranks) {
    if (record.capture && !inspection.step) {
      inspection.step = record.capture->completed;
      inspection.step_source = "the capture";
    }
    if (!record.capture) {
      inspection.warnings.push_back("rank " + std::to_string(record.rank) + " was not captured");
    }
    add_tree(inspection, record.tree, record.rank, digests);
  }
}

}  // namespace

Subject open_subject(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT) {
    throw Error(ErrorCode::not_found, "there is nothing at this path", path,
                "name a checkpoint file or folder, or a capture");
  }
  if (looks_like_capture(path)) return read_capture(path);
  return open_checkpoint(path);
}

Inspection inspect_subject(const std::string& path, const Subject& subject,
                           const DigestChoice& digests) {
  Inspection inspection;
  inspection.path = path;
  std::visit([&](const auto& content) { describe(inspection, content, digests); }, subject);
  return inspection;
}

}  // namespace samestep
