#include "tools/subject.h"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "checkpoint/contracts.h"
#include "checkpoint/hasher.h"
#include "checkpoint/several.h"
#include "schemas/error.h"
#include "tools/run_damage.h"

namespace samestep {
namespace {

void count(Inspection& inspection, const Field& field) {
  ComponentCount& component = inspection.components[field.path.component()];
  component.fields += 1;
  component.bytes += field.bytes;
}

// A view may stand for far more elements than its file holds (stride 0): digesting those could take
// years.
constexpr std::uint64_t kExpandedBytesMax = std::uint64_t{1} << 30;

bool is_blown_up(const Field& field) {
  if (field.bytes <= kExpandedBytesMax) return false;
  for (std::size_t i = 0; i < field.layout.strides.size() && i < field.shape.size(); ++i) {
    if (field.layout.strides[i] == 0 && field.shape[i] > 1) return true;
  }
  return false;
}

void add_digests(Inspection& inspection, InspectedField& out, const FieldBytes& bytes,
                 const DigestChoice& digests) {
  const Field& field = out.field;
  if ((digests.xxh3 || digests.sha256) && is_blown_up(field)) {
    inspection.warnings.push_back(field.path.text() + ": " + std::to_string(field.bytes) +
                                  " bytes expanded from fewer in the file, not digested");
    return;
  }
  if (digests.xxh3 && !field.digest) {
    out.field.digest = digest_of(bytes, field.dtype, field.shape).root;
  }
  if (digests.sha256) out.sha256 = sha256_of(bytes);
}

void add_tree(Inspection& inspection, const StateTree& tree, int rank,
              const DigestChoice& digests) {
  for (const StateEntry& entry : tree.entries()) {
    InspectedField out{entry.field, {}, rank};
    if (!digests.xxh3) out.field.digest.reset();
    if (entry.bytes) add_digests(inspection, out, *entry.bytes, digests);
    count(inspection, entry.field);
    inspection.fields.push_back(std::move(out));
  }
}

void add_contracts(Inspection& inspection, const Checkpoint& checkpoint) {
  const ContractFindings findings = check_contracts(checkpoint.tree, checkpoint.format);
  for (const auto& [what, why] : findings.absent) inspection.absent.emplace_back(what, why);
  for (const Problem& problem : findings.problems) {
    inspection.warnings.push_back(problem.where + ": " + problem.message);
  }
  inspection.warnings.insert(inspection.warnings.end(), findings.warnings.begin(),
                             findings.warnings.end());
  inspection.notes.insert(inspection.notes.end(), findings.notes.begin(), findings.notes.end());
}

void describe(Inspection& inspection, const Checkpoint& checkpoint, const DigestChoice& digests) {
  inspection.format = checkpoint.format;
  inspection.step = checkpoint.step;
  inspection.step_source = checkpoint.step_source;
  inspection.notes = checkpoint.notes;
  for (const Problem& problem : checkpoint.problems) {
    inspection.warnings.push_back(problem.where + ": " + problem.message);
  }
  add_contracts(inspection, checkpoint);
  add_tree(inspection, checkpoint.tree, 0, digests);
}

void describe(Inspection& inspection, std::vector<RankRecord> ranks, const DigestChoice& digests) {
  inspection.format = "samestep capture";
  for (std::string& sentence : forget_lost_bytes(inspection.path, ranks))
    inspection.warnings.push_back(std::move(sentence));
  for (const RankRecord& record : ranks) {
    if (record.capture && !inspection.step) {
      inspection.step = record.capture->completed;
      inspection.step_source = "the capture";
    }
    if (!record.capture) {
      inspection.warnings.emplace_back("rank " + std::to_string(record.rank) + " was not captured");
    }
    add_tree(inspection, record.tree, record.rank, digests);
  }
}

/// What stands before ".samestep" in `path`.
std::optional<std::string> run_around(const std::string& path) {
  const std::string whole = "/" + path + "/";
  const std::size_t record = whole.rfind("/.samestep/");
  if (record == std::string::npos) return std::nullopt;
  if (record == 0) return ".";
  return record == 1 ? "/" : whole.substr(1, record - 1);
}

}  // namespace

void refuse_part_of_run(const std::string& path) {
  auto run = run_around(path);
  if (!run) {
    std::error_code error;
    run = run_around(std::filesystem::absolute(path, error).lexically_normal().string());
  }
  if (!run || !looks_like_capture(*run)) return;
  throw Error(ErrorCode::usage, "is a part of what samestep recorded of a run, and no capture",
              path, "name the run folder, " + *run + ", or captures/<step> in its .samestep");
}

void refuse_work_folder(const std::string& path) {
  const std::string run = path + (path.ends_with('/') ? "" : "/") + "uninterrupted/run";
  if (!looks_like_capture(run)) return;
  throw Error(ErrorCode::usage, "is the work folder of an audit, with several runs and checkpoints",
              path, "name one of them, e.g. " + run);
}

Subject open_subject(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT) {
    throw Error(ErrorCode::not_found, "there is nothing at this path", path,
                "name a checkpoint file or folder, or a capture");
  }
  if (looks_like_capture(path)) return read_capture(path);
  refuse_part_of_run(path);
  refuse_work_folder(path);
  refuse_several_checkpoints(path);
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
