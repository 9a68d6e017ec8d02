#include "checkpoint/store.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "checkpoint/compressor.h"
#include "checkpoint/files/mapped_file.h"
#include "checkpoint/files/whole_file.h"
#include "checkpoint/hasher.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::string_view kMagic = "samestep pack 1\n";
constexpr std::uint64_t kAlignment = 64;
// Tried first on this much: weights do not compress, fresh moments and masks do.
constexpr std::size_t kTrialBytes = 65'536;
constexpr std::size_t kCompressBytesMin = 256;
// A frame is made in memory: a trainer has none to spare for large ones.
constexpr std::size_t kCompressBytesMax = 64 << 20;

/// The frame of `bytes` when it saves an eighth or more.
std::optional<std::vector<std::byte>> smaller_form(std::span<const std::byte> bytes) {
  const auto saves = [](std::size_t stored, std::size_t size) { return stored + size / 8 <= size; };
  if (bytes.size() < kCompressBytesMin || bytes.size() > kCompressBytesMax) return std::nullopt;
  if (bytes.size() > kTrialBytes &&
      !saves(compress(bytes.first(kTrialBytes)).size(), kTrialBytes)) {
    return std::nullopt;
  }
  std::vector<std::byte> frame = compress(bytes);
  if (!saves(frame.size(), bytes.size())) return std::nullopt;
  return frame;
}

class BlobBytes final : public FieldBytes {
 public:
  BlobBytes(std::shared_ptr<const PackFolder> packs, BlobPlace place, BlobClaim claim)
      : packs_(std::move(packs)), place_(std::move(place)), claim_(std::move(claim)) {}

  std::uint64_t size() const override { return claim_.digest.bytes; }
  void stream(const ByteSink& sink) const override {
    load();
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

  void load() const {
    const std::lock_guard lock(mutex_);
    if (loaded_) return;
    auto file = packs_->open(place_.pack);
    const auto all = file->bytes();
    if (place_.offset > all.size() || place_.stored_bytes > all.size() - place_.offset) {
      damaged("the pack ends before byte " + std::to_string(place_.offset) + " + " +
              std::to_string(place_.stored_bytes));
    }
    const auto stored = all.subspan(place_.offset, place_.stored_bytes);
    if (place_.codec == "zstd") {
      expanded_ = decompress(stored, claim_.digest.bytes, where());
      bytes_ = expanded_;
    } else if (place_.codec == "raw") {
      bytes_ = stored;
      file_ = std::move(file);
    } else {
      throw Error(ErrorCode::unsupported, "codec " + place_.codec, where(), "use a newer samestep");
    }
    check();
    loaded_ = true;
  }

  void check() const {
    if (bytes_.size() != claim_.digest.bytes)
      damaged("the bytes have another length than was recorded");
    Hasher hasher;
    hasher.update(bytes_);
    const DigestTree found = hasher.finish(claim_.dtype, claim_.shape);
    if (found.root == claim_.digest.root) return;
    const auto& chunks = claim_.digest.chunks;
    if (chunks.size() != found.chunks.size())
      damaged("the bytes are not those of the recorded digest");
    const auto differing = std::ranges::mismatch(chunks, found.chunks);
    const auto begin = static_cast<std::uint64_t>(differing.in1 - chunks.begin()) * kChunkBytes;
    damaged("bytes " + std::to_string(begin) + " to " +
            std::to_string(std::min<std::uint64_t>(begin + kChunkBytes, bytes_.size())) +
            " are not those of the recorded digest");
  }

  std::shared_ptr<const PackFolder> packs_;
  BlobPlace place_;
  BlobClaim claim_;
  mutable std::mutex mutex_;
  mutable bool loaded_ = false;
  mutable std::shared_ptr<const MappedFile> file_;
  mutable std::vector<std::byte> expanded_;
  mutable std::span<const std::byte> bytes_;
};

}  // namespace

PackWriter::PackWriter(std::string captures, std::string pack)
    : captures_(std::move(captures)), pack_(std::move(pack)) {}
PackWriter::~PackWriter() = default;

void PackWriter::know(const std::map<Digest, BlobPlace>& blobs) {
  known_.insert(blobs.begin(), blobs.end());
}

BlobPlace PackWriter::put(const Digest& digest, const FieldBytes& bytes) {
  const auto known = known_.find(digest);
  if (known != known_.end()) return known->second;
  return known_.emplace(digest, write(bytes)).first->second;
}

BlobPlace PackWriter::write(const FieldBytes& bytes) {
  if (!file_) {
    file_ = std::make_unique<WholeFile>(captures_ + "/" + pack_);
    file_->write(kMagic);
  }
  align();
  BlobPlace place{pack_, file_->size(), 0, "raw"};
  const auto memory = bytes.contiguous();
  if (const auto frame = smaller_form(memory)) {
    place.codec = "zstd";
    file_->write(*frame);
  } else {
    bytes.stream([this](std::span<const std::byte> piece) { file_->write(piece); });
  }
  place.stored_bytes = file_->size() - place.offset;
  return place;
}

void PackWriter::align() {
  constexpr std::array<std::byte, kAlignment> kZeros = {};
  const std::uint64_t over = file_->size() % kAlignment;
  if (over > 0) file_->write(std::span(kZeros).first(kAlignment - over));
}

void PackWriter::commit() {
  if (file_) file_->commit();
  file_.reset();
}

std::shared_ptr<const MappedFile> PackFolder::open(const std::string& pack) const {
  const std::lock_guard lock(mutex_);
  if (auto file = open_[pack].lock()) return file;
  const std::string path = captures_ + "/" + pack;
  auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  if (bytes.size() < kMagic.size() ||
      std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    throw Error(ErrorCode::corrupt, "not a samestep pack of version 1", path,
                "record the capture again");
  }
  open_[pack] = file;
  return file;
}

FieldBytesPtr blob_bytes(std::shared_ptr<const PackFolder> packs, const BlobPlace& place,
                         BlobClaim claim) {
  return std::make_shared<BlobBytes>(std::move(packs), place, std::move(claim));
}

}  // namespace samestep
