#include "checkpoint/store.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "checkpoint/blob_codec.h"
#include "checkpoint/compressor.h"
#include "checkpoint/files/mapped_file.h"
#include "checkpoint/hasher.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::string_view kEarlierMagics[] = {"samestep pack 1\n", "samestep pack 2\n",
                                               "samestep pack 3\n"};

class BlobBytes final : public FieldBytes {
 public:
  BlobBytes(std::shared_ptr<const PackFolder> packs, BlobPlace place, BlobClaim claim)
      : packs_(std::move(packs)), place_(std::move(place)), claim_(std::move(claim)) {}

  std::uint64_t size() const override { return claim_.digest.bytes; }
  void stream(const ByteSink& sink) const override {
    load();
    if (index_) return decode(sink, true);
    if (!bytes_.empty()) sink(bytes_);
  }
  std::span<const std::byte> contiguous() const override {
    load();
    return bytes_;
  }

 private:
  std::string where() const { return packs_->path() + "/" + place_.pack + ": " + claim_.field; }

  [[noreturn]] void damaged(const std::string& message) const {
    throw Error(ErrorCode::corrupt, message, where(), "the record is damaged: record it again");
  }

  std::shared_ptr<const MappedFile> open_pack() const {
    try {
      return packs_->open(place_.pack);
    } catch (const Error& error) {
      throw Error(error.code(), error.message(), where(), error.remedy());
    }
  }

  void load() const {
    const std::lock_guard lock(mutex_);
    if (loaded_) return;
    file_ = open_pack();
    const auto all = file_->bytes();
    if (place_.offset > all.size() || place_.stored_bytes > all.size() - place_.offset) {
      damaged("the pack ends before byte " + std::to_string(place_.offset) + " + " +
              std::to_string(place_.stored_bytes));
    }
    stored_ = all.subspan(place_.offset, place_.stored_bytes);
    if (place_.codec == "planes") {
      load_planes();
    } else if (place_.codec == "zstd") {
      keep(decompress(stored_, claim_.digest.bytes, where()));
      check(bytes_);
    } else if (place_.codec == "raw") {
      bytes_ = stored_;
      check(bytes_);
    } else {
      throw Error(ErrorCode::unsupported, "codec " + place_.codec, where(), "use a newer samestep");
    }
    loaded_ = true;
  }

  void keep(std::vector<std::byte> bytes) const {
    expanded_ = std::move(bytes);
    bytes_ = expanded_;
    file_.reset();
  }

  /// A field of one chunk is kept in memory; a longer one is decoded each time, chunk by chunk.
  void load_planes() const {
    auto index = BlobIndex::read(stored_, claim_.digest.bytes, where());
    if (claim_.digest.bytes <= kChunkBytes) {
      std::vector<std::byte> chunk(claim_.digest.bytes);
      if (!chunk.empty())
        ChunkDecoder().decode(index.frames[0], index.planes, stored_.first(index.frames[0].bytes),
                              chunk, where());
      keep(std::move(chunk));
      return check(bytes_);
    }
    index_ = std::move(index);
    // With the digest of each chunk at hand nothing unchecked is passed on; else all is read once
    // before.
    if (root_of(claim_.dtype, claim_.shape, size(), claim_.digest.chunks) == claim_.digest.root)
      return;
    Hasher hasher;
    decode([&](std::span<const std::byte> chunk) { hasher.update(chunk); }, false);
    compare(hasher.finish(claim_.dtype, claim_.shape));
  }

  void decode(const ByteSink& sink, bool checked) const {
    ChunkDecoder decoder;
    std::vector<std::byte> chunk(kChunkBytes);
    std::uint64_t at = 0, begin = 0;
    for (std::size_t i = 0; i < index_->frames.size(); ++i, begin += kChunkBytes) {
      const ChunkFrame& frame = index_->frames[i];
      const std::span target =
          std::span(chunk).first(std::min<std::uint64_t>(kChunkBytes, size() - begin));
      decoder.decode(frame, index_->planes, stored_.subspan(at, frame.bytes), target,
                     where() + ", chunk " + std::to_string(i));
      at += frame.bytes;
      if (checked && i < claim_.digest.chunks.size() &&
          digest_of_chunk(target) != claim_.digest.chunks[i])
        damaged_at(begin);
      sink(target);
    }
  }

  [[noreturn]] void damaged_at(std::uint64_t begin) const {
    damaged("bytes " + std::to_string(begin) + " to " +
            std::to_string(std::min<std::uint64_t>(begin + kChunkBytes, size())) +
            " are not those of the recorded digest");
  }

  void check(std::span<const std::byte> bytes) const {
    if (bytes.size() != size()) damaged("the bytes have another length than was recorded");
    Hasher hasher;
    hasher.update(bytes);
    compare(hasher.finish(claim_.dtype, claim_.shape));
  }

  void compare(const DigestTree& found) const {
    if (found.root == claim_.digest.root) return;
    const auto& chunks = claim_.digest.chunks;
    if (chunks.size() != found.chunks.size() || chunks == found.chunks)
      damaged("the bytes are not those of the recorded digest");
    const auto differing = std::ranges::mismatch(chunks, found.chunks);
    damaged_at(static_cast<std::uint64_t>(differing.in1 - chunks.begin()) * kChunkBytes);
  }

  std::shared_ptr<const PackFolder> packs_;
  BlobPlace place_;
  BlobClaim claim_;
  mutable std::mutex mutex_;
  mutable bool loaded_ = false;
  mutable std::shared_ptr<const MappedFile> file_;
  mutable std::vector<std::byte> expanded_;
  mutable std::span<const std::byte> stored_, bytes_;
  mutable std::optional<BlobIndex> index_;
};

}  // namespace

std::shared_ptr<const MappedFile> PackFolder::open(const std::string& pack) const {
  const std::lock_guard lock(mutex_);
  if (auto file = open_[pack].lock()) return file;
  const std::string path = captures_ + "/" + pack;
  auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  const std::string_view begin(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto begins_with = [begin](std::string_view magic) { return begin.starts_with(magic); };
  if (!begins_with(kPackMagic) && std::ranges::none_of(kEarlierMagics, begins_with)) {
    throw Error(ErrorCode::corrupt, "not a samestep pack of a known version", path,
                "record the capture again");
  }
  open_[pack] = file;
  return file;
}

bool PackFolder::hold(const std::string& pack) const {
  try {
    auto file = open(pack);
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(file));
    return true;
  } catch (const Error& error) {
    return error.code() != ErrorCode::not_found;
  }
}

FieldBytesPtr blob_bytes(std::shared_ptr<const PackFolder> packs, const BlobPlace& place,
                         BlobClaim claim) {
  return std::make_shared<BlobBytes>(std::move(packs), place, std::move(claim));
}

}  // namespace samestep
