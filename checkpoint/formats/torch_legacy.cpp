#include "checkpoint/formats/torch_legacy.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/formats/expand_torch.h"
#include "checkpoint/formats/pickle_leaves.h"
#include "schemas/error.h"

namespace samestep {

using pickle::Kind;
using pickle::NodeId;

namespace {

// LONG1 of the magic number 0x1950a86a20f9469cfc6c: in each protocol the first value of the file.
constexpr std::array<unsigned char, 12> kMagic = {0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46,
                                                  0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};
constexpr std::size_t kMagicWithin = 32;  // behind PROTO and FRAME
constexpr std::int64_t kProtocolVersion = 1001;

/// Storages lie behind the last pickle, each with its number of elements before it.
class LegacyStorages final : public StorageSource {
 public:
  LegacyStorages(const FileSlice& file, Document& document) : file_(file), document_(document) {}

  void learn_sizes(const pickle::Pickle& object);
  void locate(const pickle::Pickle& keys);
  Storage find(const StorageName& name, const std::string& where) override;

 private:
  struct Place {
    std::uint64_t item_bytes = 0;  // from the class that the object's pickle names
    std::uint64_t elements = 0;
    FileSlice slice;
    std::int64_t number = -1;
  };

  const FileSlice& file_;
  Document& document_;
  std::unordered_map<std::string, Place> places_;
};

/// The element size of a storage stands only in the pickle that refers to it.
void LegacyStorages::learn_sizes(const pickle::Pickle& object) {
  LeafBudget budget(file_.bytes.size());
  const std::vector<SourceKey> path;
  const PickleView view{object.graph, file_, nullptr, budget, document_.notes, path};
  for (NodeId id = 0; id < object.graph.size(); ++id) {
    const auto named = storage_id(view, id);
    if (!named) continue;
    const std::uint64_t item = element_bytes(named->dtype);
    Place& place = places_[std::string(named->name.key)];
    if (place.item_bytes != 0 &&
        (place.item_bytes != item || place.elements != named->name.bytes / item)) {
      document_.problems.push_back(
          {Problem::Kind::damaged, file_.file,
           "storage '" + std::string(named->name.key) + "' is described in two ways"});
    }
    place.item_bytes = item;
    place.elements = named->name.bytes / item;
  }
}

void LegacyStorages::locate(const pickle::Pickle& keys) {
  if (keys.graph.kind(keys.root) != Kind::list) {
    throw Error(ErrorCode::corrupt, "the list of storages is no list", place_in(file_, keys.end),
                "use another checkpoint");
  }
  ByteReader reader(file_, keys.end);
  std::int64_t number = 0;
  for (const NodeId id : keys.graph.children(keys.root)) {
    const auto found = keys.graph.kind(id) == Kind::text
                           ? places_.find(std::string(keys.graph.text(id)))
                           : places_.end();
    if (found == places_.end() || found->second.number >= 0) {
      reader.fail("the list of storages names one that no tensor uses, or one twice");
    }
    Place& place = found->second;
    const std::uint64_t at = reader.position(), elements = reader.u64("number of elements");
    if (elements > reader.left() / place.item_bytes) {
      reader.fail_at(at, "storage '" + found->first + "' should have " + std::to_string(elements) +
                             " elements of " + std::to_string(place.item_bytes) + " bytes, " +
                             std::to_string(reader.left()) + " bytes are left");
    }
    if (elements != place.elements) {
      reader.fail_at(at, "storage '" + found->first + "' has " + std::to_string(elements) +
                             " elements, its tensors say " + std::to_string(place.elements));
    }
    place.slice = file_.part(reader.position(), elements * place.item_bytes,
                             "storage '" + found->first + "'");
    place.number = number++;
    reader.take(place.slice.bytes.size(), "storage");
    document_.extents.push_back(Extent{file_.file, place.slice.offset, place.slice.bytes.size(),
                                       std::nullopt, "storage '" + found->first + "'"});
  }
  if (reader.left() != 0)
    document_.notes.push_back(std::to_string(reader.left()) + " bytes follow the last storage");
}

Storage LegacyStorages::find(const StorageName& name, const std::string& where) {
  const auto found = places_.find(std::string(name.key));
  if (found == places_.end() || found->second.number < 0) {
    throw Error(ErrorCode::corrupt,
                "the tensor's storage '" + std::string(name.key) + "' is not in the file", where,
                "use another checkpoint");
  }
  const FileSlice& slice = found->second.slice;
  const std::uint64_t bytes = name.view_bytes.value_or(slice.bytes.size());
  return Storage{slice.part(name.view_offset, bytes, "the view of storage '" + found->first + "'"),
                 found->second.number, false};
}

/// The magic number, the version, and facts about the machine (always written little-endian).
std::uint64_t skip_header(const FileSlice& file) {
  const pickle::Pickle magic = pickle::run_pickle(file);
  const pickle::Pickle version = pickle::run_pickle(file, magic.end);
  const bool known = version.graph.kind(version.root) == Kind::integer &&
                     version.graph.integer(version.root) == kProtocolVersion;
  if (!known) {
    throw Error(ErrorCode::unsupported, "the version of the non-ZIP torch.save format is not 1001",
                place_in(file, magic.end),
                "load it with the torch that wrote it and save it again");
  }
  return pickle::run_pickle(file, version.end).end;
}

}  // namespace

bool is_torch_legacy(std::span<const std::byte> bytes) noexcept {
  const auto head = bytes.first(std::min(bytes.size(), kMagicWithin));
  const auto magic = std::as_bytes(std::span(kMagic));
  return std::search(head.begin(), head.end(), magic.begin(), magic.end()) != head.end();
}

Document read_torch_legacy(const FileSlice& file) {
  Document document;
  document.format = "torch.save legacy";
  document.notes.emplace_back("this format keeps no checksums");
  const pickle::Pickle object = pickle::run_pickle(file, skip_header(file));
  const pickle::Pickle keys = pickle::run_pickle(file, object.end);
  document.extents.push_back(Extent{file.file, file.offset, keys.end, std::nullopt, "pickles"});
  LegacyStorages storages(file, document);
  storages.learn_sizes(object);
  storages.locate(keys);
  append_pickle_leaves(object, file, &storages, {}, document);
  return document;
}

std::optional<LoneStorage> read_lone_storage(const FileSlice& file) {
  Document document;
  const pickle::Pickle object = pickle::run_pickle(file, skip_header(file));
  const pickle::Pickle keys = pickle::run_pickle(file, object.end);
  LegacyStorages storages(file, document);
  storages.learn_sizes(object);
  storages.locate(keys);
  LeafBudget budget(file.bytes.size());
  const std::vector<SourceKey> path;
  const PickleView view{object.graph, file, nullptr, budget, document.notes, path};
  const auto named = storage_id(view, object.root);
  if (!named) return std::nullopt;
  return LoneStorage{storages.find(named->name, file.file), named->dtype,
                     std::string(named->location), keys.end};
}

}  // namespace samestep
