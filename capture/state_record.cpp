#include "capture/state_record.h"

#include <algorithm>

#include "checkpoint/files/folder.h"
#include "checkpoint/files/mapped_file.h"
#include "checkpoint/files/whole_file.h"
#include "checkpoint/hasher.h"
#include "checkpoint/store.h"
#include "schemas/check.h"
#include "schemas/error.h"
#include "schemas/json/capture_json.h"

namespace samestep {
namespace {

constexpr const char* kWorldName = "capture.json";

CaptureRank read_manifest(const std::string& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return capture_rank_from_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

/// The first pack of this step and rank that is not there yet: a replaced record's pack may hold
/// blobs of the new one.
std::string free_pack_name(const RunFolder& folder, std::int64_t step, int rank) {
  for (int number = 0;; ++number) {
    std::string name = RunFolder::pack_name(step, rank, number);
    if (!is_regular_file(folder.captures() + "/" + name)) return name;
  }
}

/// What all captures of the run hold. A manifest that cannot be read costs space, not the capture.
void know_earlier_captures(const RunFolder& folder, PackWriter& pack) {
  for (const Entry& capture : list_folder(folder.captures())) {
    if (capture.kind != EntryKind::folder) continue;
    const std::string path = folder.captures() + "/" + capture.path;
    for (const Entry& entry : list_folder(path)) {
      if (!entry.path.starts_with("rank-") || !entry.path.ends_with(".json")) continue;
      try {
        pack.know(read_manifest(path + "/" + entry.path).blobs);
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace

StateRecord::StateRecord(std::int64_t completed, std::string phase) {
  capture_.completed = completed;
  capture_.boundary.phase = std::move(phase);
}

StateRecord::StateRecord(const RunFolder& folder, int rank, int world_size, std::int64_t completed,
                         std::string phase)
    : StateRecord(completed, std::move(phase)) {
  folder_ = folder;
  capture_.boundary.rank = rank;
  capture_.boundary.step = completed + 1;
  capture_.world_size = world_size;
  make_folders(folder.capture(completed));
  pack_ = std::make_unique<PackWriter>(folder.captures(), free_pack_name(folder, completed, rank));
  know_earlier_captures(folder, *pack_);
}

StateRecord::~StateRecord() = default;

void StateRecord::add(Field field, const FieldBytes& bytes) {
  const DigestTree tree = digest_of(bytes, field.dtype, field.shape);
  SAMESTEP_CHECK(digests_.emplace(field.path.text(), tree.root).second);
  if (field.value) values_.emplace(field.path.text(), display(*field.value));
  if (!pack_) return;
  field.digest = tree.root;
  field.bytes = tree.bytes;
  capture_.blobs.insert_or_assign(tree.root, pack_->put(tree.root, bytes));
  if (tree.chunks.size() > 1) capture_.chunks.insert_or_assign(tree.root, tree.chunks);
  capture_.fields.push_back(std::move(field));
}

void StateRecord::commit() {
  if (!pack_) return;
  std::ranges::sort(capture_.fields, {}, &Field::path);
  pack_->commit();
  // Of several ranks the set is incomplete until each has replaced its own.
  if (capture_.world_size > 1) remove_tree(folder_->world(capture_.completed));
  write_whole_file(folder_->manifest(capture_.completed, capture_.boundary.rank),
                   capture_rank_to_json(capture_));
  commit_world();
}

void StateRecord::commit_world() const {
  CaptureWorld world{capture_.completed, capture_.world_size, {}};
  for (int rank = 0; rank < capture_.world_size; ++rank) {
    if (!is_regular_file(folder_->manifest(capture_.completed, rank))) return;
    world.ranks.push_back(RunFolder::manifest_name(rank));
  }
  write_whole_file(folder_->capture(capture_.completed) + "/" + kWorldName,
                   capture_world_to_json(world));
}

}  // namespace samestep
