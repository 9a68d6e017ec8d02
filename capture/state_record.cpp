#include "capture/state_record.h"

#include <algorithm>
#include <utility>

#include "capture/earlier_captures.h"
#include "capture/seal.h"
#include "checkpoint/field_summary.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/whole_file.h"
#include "checkpoint/hasher.h"
#include "checkpoint/hasher_batch.h"
#include "checkpoint/naming/scalar.h"
#include "schemas/check.h"
#include "schemas/json/capture_json.h"

namespace samestep {
namespace {

constexpr const char* kWorldName = "capture.json";
// A prune that rewrites packs takes seconds; a trainer does not wait for one that hangs.
constexpr int kPruneWaitMs = 30'000;
constexpr const char* kPruneBusy = "the captures of this run are being pruned";

}  // namespace

StateRecord::StateRecord(std::int64_t completed, std::string phase) {
  capture_.completed = completed;
  capture_.boundary.phase = std::move(phase);
}

StateRecord::StateRecord(const RunFolder& folder, int rank, int world_size, std::int64_t completed,
                         std::string phase, EarlierCaptures* earlier, StorePolicy policy)
    : StateRecord(completed, std::move(phase)) {
  folder_ = folder;
  earlier_ = earlier;
  capture_.boundary.rank = rank;
  capture_.boundary.step = completed + 1;
  capture_.world_size = world_size;
  make_folders(folder.root());
  lock_ = FileLock(folder.store_lock(), FileLock::Kind::shared, kPruneWaitMs, kPruneBusy);
  make_folders(folder.capture(completed));
  // A replaced record's pack may hold blobs of the new one: it stays, and the new one has the next
  // number.
  const auto name = [completed, rank](int number) {
    return RunFolder::pack_name(completed, rank, number);
  };
  EarlierCaptures read_now;
  pack_ = std::make_unique<PackWriter>(folder.captures(), name,
                                       (earlier ? earlier : &read_now)->known(folder), policy);
}

StateRecord::~StateRecord() = default;

void StateRecord::add(Field field, const FieldBytes& bytes) {
  PackWriter::Stored stored;
  if (pack_) {
    stored = pack_->put(bytes, field.dtype, field.shape);
  } else {
    stored.digest = digest_of(bytes, field.dtype, field.shape);
  }
  DigestTree& tree = stored.digest;
  SAMESTEP_CHECK(digests_.emplace(field.path.text(), tree.root).second);
  note_value(field, bytes);
  if (!pack_) return;
  field.digest = tree.root;
  field.bytes = tree.bytes;
  capture_.blobs.insert_or_assign(tree.root, std::move(stored.place));
  if (tree.chunks.size() > 1) capture_.chunks.insert_or_assign(tree.root, std::move(tree.chunks));
  capture_.fields.push_back(std::move(field));
}

void StateRecord::add_all(std::vector<FieldWithBytes> fields) {
  if (pack_) {
    for (FieldWithBytes& each : fields) add(std::move(each.field), *each.bytes);
    return;
  }
  std::vector<DigestJob> jobs;
  jobs.reserve(fields.size());
  for (const FieldWithBytes& each : fields)
    jobs.push_back({{}, each.bytes.get(), each.field.dtype, each.field.shape});
  const std::vector<Digest> roots = roots_of(jobs);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Field& field = fields[i].field;
    SAMESTEP_CHECK(digests_.emplace(field.path.text(), roots[i]).second);
    note_value(field, *fields[i].bytes);
  }
}

void StateRecord::note_value(Field& field, const FieldBytes& bytes) {
  // A digests-only record of device memory must not wait for the device once more a field.
  const bool at_hand = pack_ != nullptr || !bytes.contiguous().empty();
  if (field.kind == FieldKind::tensor && !field.value && at_hand)
    field.value = scalar_value(field.dtype, field.shape, bytes);
  if (field.value) values_.emplace(field.path.text(), display(*field.value));
}

void StateRecord::commit() {
  if (!pack_) return;
  std::ranges::sort(capture_.fields, {}, &Field::path);
  capture_.summary = summary_of(capture_.fields);
  pack_->commit();
  // Of several ranks the set is incomplete until each has replaced its own.
  if (capture_.world_size > 1) remove_tree(folder_->world(capture_.completed));
  const std::string manifest = folder_->manifest(capture_.completed, capture_.boundary.rank);
  write_whole_file(manifest, sealed(capture_rank_to_json(capture_)));
  commit_world();
  if (earlier_) earlier_->learn(manifest, capture_);
  lock_ = {};
}

void StateRecord::commit_world() const {
  CaptureWorld world{capture_.completed, capture_.world_size, {}};
  for (int rank = 0; rank < capture_.world_size; ++rank) {
    if (!is_regular_file(folder_->manifest(capture_.completed, rank))) return;
    world.ranks.push_back(RunFolder::manifest_name(rank));
  }
  write_whole_file(folder_->capture(capture_.completed) + "/" + kWorldName,
                   sealed(capture_world_to_json(world)));
}

}  // namespace samestep
