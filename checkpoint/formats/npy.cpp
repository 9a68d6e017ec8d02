#include "checkpoint/formats/npy.h"

#include <algorithm>
#include <utility>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/containers/inflate.h"
#include "checkpoint/formats/expand_numpy.h"
#include "checkpoint/formats/npy_header.h"
#include "checkpoint/formats/pickle_leaves.h"
#include "checkpoint/formats/pickle_view.h"
#include "checkpoint/formats/tensor_leaf.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr unsigned char kMagic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
constexpr std::uint64_t kInflatedMax = 128ull << 20;
constexpr std::string_view kSuffix = ".npy";

/// Elements of a compressed record that lie there in canonical order: inflated each time that
/// somebody streams them.
class InflatedBytes final : public FieldBytes {
 public:
  InflatedBytes(FileSlice stored, std::uint64_t skip, std::uint64_t bytes)
      : stored_(std::move(stored)), skip_(skip), bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_; }
  void stream(const ByteSink& sink) const override {
    std::uint64_t skip = skip_;
    inflate(stored_, skip_ + bytes_, [&](std::span<const std::byte> piece) {
      const std::uint64_t skipped = std::min<std::uint64_t>(skip, piece.size());
      skip -= skipped;
      if (skipped < piece.size()) sink(piece.subspan(skipped));
      return true;
    });
  }

 private:
  FileSlice stored_;
  std::uint64_t skip_, bytes_;
};

/// Adds the leaves of the array that `file` is; their keys begin with `keys`.
void add_array(const FileSlice& file, std::vector<SourceKey> keys, Document& document) {
  const NpyHeader header = read_npy_header(file);
  const FileSlice data =
      file.part(header.bytes, file.bytes.size() - header.bytes, "the array's data");
  if (header.type.is_object) {
    append_pickle_leaves(pickle::run_pickle(data), data, nullptr, keys, document);
    return;
  }
  if (header.type.item_bytes == 0) {
    document.notes.push_back(file.file + ": an array of elements without bytes was left out");
    return;
  }
  Leaf leaf = array_leaf(data, header.type, header.shape, header.is_fortran, place_in(file, 0));
  leaf.class_name = "numpy.ndarray";
  leaf.source = Source{file.file, std::move(keys)};
  document.leaves.push_back(std::move(leaf));
}

/// The first bytes of a compressed record, as far as a header may reach.
FileSlice inflated_begin(const FileSlice& stored, std::uint64_t bytes) {
  auto owner = std::make_shared<std::vector<std::byte>>();
  inflate(stored, bytes, [&](std::span<const std::byte> piece) {
    owner->insert(owner->end(), piece.begin(), piece.end());
    return owner->size() < kNpyHeaderMax + 64;
  });
  return FileSlice{stored.file, *owner, stored.offset, owner};
}

/// A compressed record whose bytes are canonical is not inflated now. False when it has to be.
bool add_streamed(const FileSlice& stored, const ZipEntry& entry,
                  const std::vector<SourceKey>& keys, Document& document) {
  const NpyHeader header = read_npy_header(inflated_begin(stored, entry.bytes));
  const bool plain = !header.type.is_object && header.type.item_bytes != 0 && !header.is_fortran &&
                     !(header.type.big_endian && header.type.item_bytes > 1);
  if (!plain) return false;
  const auto elements = element_count(header.shape);
  std::int64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(*elements, header.type.item_bytes, &bytes) ||
      entry.bytes - header.bytes != static_cast<std::uint64_t>(bytes)) {
    throw Error(ErrorCode::corrupt, "the array's shape does not fit its bytes", place_in(stored, 0),
                "use another file");
  }
  Leaf leaf;
  leaf.kind = FieldKind::tensor;
  leaf.dtype = header.type.dtype;
  leaf.shape = header.shape;
  leaf.class_name = "numpy.ndarray";
  leaf.source = Source{stored.file, keys};
  leaf.bytes =
      std::make_shared<InflatedBytes>(stored, header.bytes, static_cast<std::uint64_t>(bytes));
  document.leaves.push_back(std::move(leaf));
  return true;
}

/// `inflated_left`: what records that must be inflated now may still take.
void add_record(const ZipArchive& archive, const ZipEntry& entry, std::uint64_t& inflated_left,
                Document& document) {
  std::string mismatch;
  const FileSlice stored = archive.stored(entry, &mismatch);
  if (!mismatch.empty()) {
    document.problems.push_back(
        {Problem::Kind::damaged, place_in(archive.archive(), entry.header_offset), mismatch});
  }
  const bool checked = archive.has_checksums() && !entry.deflated;
  document.extents.push_back(Extent{stored.file, stored.offset, stored.bytes.size(),
                                    checked ? std::optional(entry.crc32) : std::nullopt,
                                    entry.name});
  const std::vector<SourceKey> keys = {
      text_key(entry.name.substr(0, entry.name.size() - kSuffix.size()))};
  if (entry.deflated && add_streamed(stored, entry, keys, document)) return;
  const FileSlice content = archive.content(entry, inflated_left);
  if (entry.deflated) inflated_left -= entry.bytes;
  if (!is_npy(content.bytes)) {
    throw Error(ErrorCode::corrupt, "record '" + entry.name + "' is no array", place_in(content, 0),
                "use another file");
  }
  add_array(content, keys, document);
}

}  // namespace

bool is_npy(std::span<const std::byte> bytes) noexcept {
  const auto magic = std::as_bytes(std::span(kMagic));
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

Document read_npy(const FileSlice& file) {
  Document document;
  document.format = "npy";
  document.extents.push_back(
      Extent{file.file, file.offset, file.bytes.size(), std::nullopt, "array"});
  add_array(file, {}, document);
  return document;
}

bool is_npz(const ZipArchive& archive) {
  return !archive.entries().empty() &&
         std::all_of(archive.entries().begin(), archive.entries().end(),
                     [](const ZipEntry& entry) { return entry.name.ends_with(kSuffix); });
}

Document read_npz(const ZipArchive& archive) {
  Document document;
  document.format = "npz";
  document.notes = archive.notes();
  std::uint64_t inflated_left = kInflatedMax;
  for (const ZipEntry& entry : archive.entries()) {
    add_record(archive, entry, inflated_left, document);
  }
  return document;
}

}  // namespace samestep
