#include "checkpoint/formats/bundle.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "checkpoint/containers/crc32.h"
#include "checkpoint/files/whole_file.h"
#include "checkpoint/hasher.h"
#include "schemas/check.h"
#include "schemas/error.h"
#include "schemas/json/capture_json.h"

namespace samestep {
namespace {

constexpr std::string_view kMagic = "samestep bundle\n", kVersion = "bundle 1";
constexpr const char* kPack = "bundle";
constexpr const char* kCrc = "crc32";
constexpr std::uint64_t kAlignment = 64, kFooterBytes = 24;

std::array<std::byte, 8> little_endian(std::uint64_t number) {
  std::array<std::byte, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(number >> (8 * i));
  return bytes;
}

std::uint64_t number_at(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return number;
}

class BundleWriter {
 public:
  BundleWriter(const std::string& path, const BundleHead& head) : file_(path) {
    capture_.boundary = head.boundary;
    capture_.completed = head.completed;
    capture_.world_size = head.world_size;
    capture_.contract = head.contract;
    file_.write(kMagic);
  }

  void add(const StateEntry& entry) {
    SAMESTEP_CHECK(entry.bytes);
    Field field = entry.field;
    const DigestTree digest = digest_of(*entry.bytes, field.dtype, field.shape);
    field.digest = digest.root;
    field.bytes = digest.bytes;
    if (field.layout.storage >= 0) {
      const auto next = static_cast<std::int64_t>(storages_.size());
      field.layout.storage = storages_.emplace(field.layout.storage, next).first->second;
    }
    if (field.kind == FieldKind::tensor) {
      const auto [place, is_new] = capture_.blobs.try_emplace(digest.root);
      if (is_new) crcs_[digest.root] = write(*entry.bytes, place->second);
      field.traits[kCrc] = std::to_string(crcs_.at(digest.root));
    }
    capture_.fields.push_back(std::move(field));
  }

  void commit() {
    std::ranges::sort(capture_.fields, {}, &Field::path);
    align();
    const std::uint64_t offset = file_.size();
    const std::string manifest = capture_rank_to_json(capture_);
    file_.write(manifest);
    file_.write(little_endian(offset));
    file_.write(little_endian(manifest.size()));
    file_.write(kVersion);
    file_.commit();
  }

 private:
  std::uint32_t write(const FieldBytes& bytes, BlobPlace& place) {
    align();
    place = {kPack, file_.size(), bytes.size(), "raw"};
    std::uint32_t crc = 0;
    bytes.stream([&](std::span<const std::byte> piece) {
      crc = fast_crc32(piece, crc);
      file_.write(piece);
    });
    return crc;
  }

  void align() {
    constexpr std::array<std::byte, kAlignment> kZeros = {};
    const std::uint64_t over = file_.size() % kAlignment;
    if (over > 0) file_.write(std::span(kZeros).first(kAlignment - over));
  }

  WholeFile file_;
  CaptureRank capture_;
  std::map<Digest, std::uint32_t> crcs_;
  std::map<std::int64_t, std::int64_t> storages_;
};

[[noreturn]] void corrupt(const FileSlice& file, const std::string& message) {
  throw Error(ErrorCode::corrupt, message, file.file,
              "the save was interrupted or the file was changed: use an earlier one");
}

CaptureRank read_manifest(const FileSlice& file) {
  if (file.bytes.size() < kMagic.size() + kFooterBytes) corrupt(file, "is cut short");
  const auto footer = file.bytes.last(kFooterBytes);
  if (std::memcmp(footer.data() + 16, kVersion.data(), kVersion.size()) != 0) {
    if (std::memcmp(footer.data() + 16, kVersion.data(), kVersion.size() - 1) == 0)
      throw Error(ErrorCode::unsupported, "is a bundle of another version", file.file,
                  "use a newer samestep");
    corrupt(file, "does not end as a bundle does");
  }
  const std::uint64_t offset = number_at(footer), length = number_at(footer.subspan(8));
  const std::uint64_t end = file.bytes.size() - kFooterBytes;
  if (offset > end || length != end - offset) corrupt(file, "its footer contradicts its length");
  const auto text = file.bytes.subspan(offset, length);
  return capture_rank_from_json({reinterpret_cast<const char*>(text.data()), text.size()},
                                file.file + " manifest");
}

/// The tensor's bytes where they lie in the file.
FieldBytesPtr bytes_of(const FileSlice& file, const CaptureRank& capture, const Field& field) {
  const std::string name = field.path.text();
  const auto blob = capture.blobs.find(*field.digest);
  if (blob == capture.blobs.end()) corrupt(file, name + ": its bytes are not in the file");
  const BlobPlace& place = blob->second;
  if (place.codec != "raw")
    throw Error(ErrorCode::unsupported, name + ": codec " + place.codec, file.file,
                "use a newer samestep");
  const FileSlice slice = file.part(place.offset, place.stored_bytes, name);
  TensorView view{slice.bytes.data(), field.dtype, field.shape, {}};
  view.strides.resize(view.shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = view.shape.size(); i-- > 0;) {
    view.strides[i] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(view.shape[i], 1), &stride))
      corrupt(file, name + ": its shape overflows");
  }
  FieldBytesPtr bytes = tensor_bytes(std::move(view), slice.owner);
  if (bytes->size() != place.stored_bytes)
    corrupt(file, name + ": has another length than its shape says");
  return bytes;
}

StateEntry entry_of(const FileSlice& file, const CaptureRank& capture, const Field& field) {
  StateEntry entry{field, nullptr};
  if (field.kind == FieldKind::tensor) {
    entry.bytes = bytes_of(file, capture, field);
  } else {
    if (!field.value) corrupt(file, field.path.text() + ": has no value");
    entry.bytes = value_bytes(*field.value);
  }
  return entry;
}

std::optional<std::uint32_t> take_crc(Field& field) {
  const auto trait = field.traits.find(kCrc);
  if (trait == field.traits.end()) return std::nullopt;
  std::uint32_t crc = 0;
  const std::string& text = trait->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), crc);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  field.traits.erase(trait);
  return whole ? std::optional(crc) : std::nullopt;
}

}  // namespace

void write_bundle(const std::string& path, const BundleHead& head, const StateTree& tree) {
  BundleWriter writer(path, head);
  for (const StateEntry& entry : tree.entries()) writer.add(entry);
  writer.commit();
}

bool looks_like_bundle(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

Bundle read_bundle(const FileSlice& file) {
  if (!looks_like_bundle(file.bytes)) corrupt(file, "is no bundle of samestep");
  const CaptureRank capture = read_manifest(file);
  Bundle bundle{{capture.boundary, capture.completed, capture.world_size, capture.contract}, {}};
  for (const Field& field : capture.fields) {
    StateEntry& entry = bundle.tree.add(entry_of(file, capture, field));
    take_crc(entry.field);
  }
  return bundle;
}

Document read_bundle_document(const FileSlice& file) {
  const CaptureRank capture = read_manifest(file);
  Document document;
  document.format = "samestep bundle";
  std::set<std::uint64_t> seen;
  for (const Field& field : capture.fields) {
    StateEntry entry = entry_of(file, capture, field);
    const auto crc = take_crc(entry.field);
    Leaf leaf;
    leaf.own_path = entry.field.path;
    leaf.own_role = entry.field.role;
    if (capture.world_size > 1) leaf.own_rank = capture.boundary.rank;
    leaf.source = {file.file, {}};
    for (const std::string& part : entry.field.path.parts())
      leaf.source.keys.push_back({SourceKey::Kind::string, part});
    leaf.kind = entry.field.kind;
    if (entry.field.value) leaf.value = *entry.field.value;
    leaf.dtype = entry.field.dtype;
    leaf.shape = entry.field.shape;
    leaf.layout = entry.field.layout;
    leaf.bytes = entry.bytes;
    if (entry.field.kind == FieldKind::tensor) {
      const BlobPlace& place = capture.blobs.at(*entry.field.digest);
      if (seen.insert(place.offset).second)
        document.extents.push_back({file.file, file.offset + place.offset, place.stored_bytes, crc,
                                    entry.field.path.text()});
    }
    document.leaves.push_back(std::move(leaf));
  }
  return document;
}

}  // namespace samestep
