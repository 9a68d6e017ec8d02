#include "checkpoint/pack_writer.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "checkpoint/crew.h"
#include "checkpoint/files/pack_file.h"
#include "checkpoint/hasher.h"
#include "checkpoint/store.h"
#include "schemas/check.h"

namespace samestep {
namespace {

constexpr std::size_t kGroupChunks = 16;
constexpr std::size_t kGroupBytes = kGroupChunks * kChunkBytes;
// From here on it is worth waking the others.
constexpr std::size_t kTogetherBytesMin = 2 * kGroupBytes;
constexpr std::size_t kPendingBytes = 1 << 20;
// More would wait for the disk, each with a desk of its own.
constexpr unsigned kThreadsMax = 4;

std::span<const std::byte> chunk_of(std::span<const std::byte> memory, std::size_t number) {
  const std::size_t begin = number * kChunkBytes;
  return memory.subspan(begin, std::min<std::size_t>(kChunkBytes, memory.size() - begin));
}

}  // namespace

/// What a thread works with.
struct PackWriter::Desk {
  ChunkEncoder encoder;
  std::vector<std::byte> frames = std::vector<std::byte>(kGroupBytes + kFrameExtraBytes);
};

/// A field that several threads write, a group of chunks each at a time. Groups are begun in order
/// and placed in order, so that the same field gives the same blob.
struct PackWriter::Job {
  std::span<const std::byte> memory;
  std::span<Digest> digests;
  std::uint64_t begin = 0;

  std::mutex mutex;
  std::condition_variable placed;
  std::vector<Desk*> free;
  std::size_t turn = 0;     // the group that is placed next
  std::uint64_t place = 0;  // where it begins
  bool failed = false;

  /// A desk, as long as it is needed.
  struct Seat {
    explicit Seat(Job& of) : job(of), desk(of.take_desk()) {}
    ~Seat() {
      const std::lock_guard lock(job.mutex);
      job.free.push_back(&desk);
    }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    Job& job;
    Desk& desk;
  };

  Desk& take_desk() {
    const std::lock_guard lock(mutex);
    SAMESTEP_CHECK(!free.empty());
    Desk* const desk = free.back();
    free.pop_back();
    return *desk;
  }

  /// Nothing when another thread has failed: its exception tells.
  std::optional<std::uint64_t> take_place(std::size_t group, std::size_t bytes) {
    std::unique_lock lock(mutex);
    placed.wait(lock, [&] { return failed || turn == group; });
    if (failed) return std::nullopt;
    ++turn;
    placed.notify_all();
    return std::exchange(place, place + bytes);
  }

  void give_up() {
    const std::lock_guard lock(mutex);
    failed = true;
    placed.notify_all();
  }
};

PackWriter::PackWriter(std::string captures, std::function<std::string(int)> name,
                       std::shared_ptr<const KnownBlobs> earlier, StorePolicy policy)
    : captures_(std::move(captures)),
      name_(std::move(name)),
      earlier_(earlier ? std::move(earlier) : std::make_shared<const KnownBlobs>()),
      policy_(policy) {}

PackWriter::~PackWriter() = default;

PackWriter::Stored PackWriter::put(const FieldBytes& bytes, Dtype dtype,
                                   std::span<const std::int64_t> shape) {
  Stored stored;
  if (const BlobPlace* known = find_known(bytes, stored.digest, dtype, shape)) {
    stored.place = *known;
    return stored;
  }
  layout_ = policy_ == StorePolicy::raw ? ChunkLayout() : chunk_layout(dtype, shape);
  index_ = {layout_.planes, 0, {}};
  stored.place = write(bytes, stored.digest);
  if (!digested_)
    stored.digest.root = root_of(dtype, shape, stored.digest.bytes, stored.digest.chunks);
  written_.add(stored.digest.root, stored.digest.chunks, stored.place);
  return stored;
}

/// Null when the field is not known. The tree is filled when that had to be found out; where the
/// first chunk tells that it is not, all is digested on the way to the disk.
const BlobPlace* PackWriter::find_known(const FieldBytes& bytes, DigestTree& tree, Dtype dtype,
                                        std::span<const std::int64_t> shape) {
  const auto memory = bytes.contiguous();
  if (bytes.size() <= kChunkBytes) {
    digested_ = true;
  } else if (memory.empty()) {
    digested_ = earlier_->has_long_ones() || written_.has_long_ones();
  } else {
    const Digest first = digest_of_chunk(memory.first(kChunkBytes));
    digested_ = earlier_->may_begin_with(first) || written_.may_begin_with(first);
  }
  if (!digested_) return nullptr;
  tree = digest_of(bytes, dtype, shape);
  const BlobPlace* const place = earlier_->find(tree.root);
  return place != nullptr ? place : written_.find(tree.root);
}

BlobPlace PackWriter::write(const FieldBytes& bytes, DigestTree& tree) {
  open();
  constexpr std::array<std::byte, kBlobAlignment> kZeros = {};
  if (const std::size_t over = size_ % kBlobAlignment; over > 0)
    append(std::span(kZeros).first(kBlobAlignment - over));
  BlobPlace place{pack_, size_, 0, "raw"};
  chunks_ = (bytes.size() + kChunkBytes - 1) / kChunkBytes;
  const auto memory = bytes.contiguous();
  if (memory.size() >= kTogetherBytesMin) {
    write_together(memory, tree);
  } else {
    write_stream(bytes, tree);
  }
  SAMESTEP_CHECK(index_.bytes == bytes.size());
  tree.bytes = index_.bytes;
  const bool all_raw = std::ranges::all_of(
      index_.frames, [](const ChunkFrame& frame) { return frame.form == ChunkForm::raw; });
  if (!all_raw) {
    std::vector<std::byte> index;
    index_.append_to(index);
    append(index);
    place.codec = "planes";
  }
  place.stored_bytes = size_ - place.offset;
  return place;
}

void PackWriter::write_stream(const FieldBytes& bytes, DigestTree& tree) {
  std::vector<std::byte> chunk;
  bytes.stream([&](std::span<const std::byte> piece) {
    while (!piece.empty()) {
      if (chunk.empty() && piece.size() >= kChunkBytes) {
        write_chunk(piece.first(kChunkBytes), tree);
        piece = piece.subspan(kChunkBytes);
        continue;
      }
      const auto part =
          piece.first(std::min<std::size_t>(piece.size(), kChunkBytes - chunk.size()));
      chunk.insert(chunk.end(), part.begin(), part.end());
      piece = piece.subspan(part.size());
      if (chunk.size() == kChunkBytes) {
        write_chunk(chunk, tree);
        chunk.clear();
      }
    }
  });
  if (!chunk.empty()) write_chunk(chunk, tree);
}

void PackWriter::write_chunk(std::span<const std::byte> chunk, DigestTree& tree) {
  if (!digested_) tree.chunks.push_back(digest_of_chunk(chunk));
  index_.bytes += chunk.size();
  if (policy_ == StorePolicy::raw) {
    index_.frames.push_back({ChunkForm::raw, static_cast<std::uint32_t>(chunk.size())});
    return append(chunk);
  }
  Desk& desk = *desks_[0];
  if (index_.frames.size() % kGroupChunks == 0) start_group(index_.frames.size(), desk);
  const ChunkFrame frame = desk.encoder.encode(chunk, desk.frames);
  index_.frames.push_back(frame);
  append(std::span(desk.frames).first(frame.bytes));
}

void PackWriter::write_together(std::span<const std::byte> memory, DigestTree& tree) {
  flush();
  const unsigned threads = std::min(threads_to_use(), kThreadsMax);
  while (desks_.size() < threads) desks_.push_back(std::make_unique<Desk>());
  const std::size_t chunks = (memory.size() + kChunkBytes - 1) / kChunkBytes;
  tree.chunks.resize(chunks);
  index_.frames.resize(chunks);
  index_.bytes = memory.size();
  Job job;
  job.memory = memory;
  job.digests = tree.chunks;
  job.begin = job.place = size_;
  for (const auto& desk : desks_) job.free.push_back(desk.get());
  const std::size_t groups = (memory.size() + kGroupBytes - 1) / kGroupBytes;
  share_work(groups, threads, [&](std::size_t group) { write_group(job, group); });
  size_ = policy_ == StorePolicy::raw ? size_ + memory.size() : job.place;
}

void PackWriter::write_group(Job& job, std::size_t group) {
  try {
    const Job::Seat seat(job);
    const std::size_t bytes = code_group(job, group, seat.desk);
    if (policy_ == StorePolicy::raw) {
      const std::size_t begin = group * kGroupBytes;
      return file_->write_at(job.begin + begin, job.memory.subspan(begin, bytes));
    }
    if (const auto place = job.take_place(group, bytes))
      file_->write_at(*place, std::span(seat.desk.frames).first(bytes));
  } catch (...) {
    job.give_up();
    throw;
  }
}

/// Groups depend on nothing that was coded before them, so that the same field gives the same blob
/// however it comes.
void PackWriter::start_group(std::size_t first_chunk, Desk& desk) const {
  desk.encoder.start(layout_, first_chunk * (kChunkBytes / layout_.planes),
                     std::min(kGroupChunks, chunks_ - first_chunk));
}

/// Digests and codes the chunks of a group; how many bytes are to be written for it.
std::size_t PackWriter::code_group(Job& job, std::size_t group, Desk& desk) {
  const std::size_t first = group * kGroupChunks;
  const std::size_t end = std::min(first + kGroupChunks, index_.frames.size());
  start_group(first, desk);
  std::size_t bytes = 0;
  for (std::size_t i = first; i < end; ++i) {
    const auto chunk = chunk_of(job.memory, i);
    if (!digested_) job.digests[i] = digest_of_chunk(chunk);
    index_.frames[i] = policy_ == StorePolicy::raw
                           ? ChunkFrame{ChunkForm::raw, static_cast<std::uint32_t>(chunk.size())}
                           : desk.encoder.encode(chunk, std::span(desk.frames).subspan(bytes));
    bytes += index_.frames[i].bytes;
  }
  return bytes;
}

void PackWriter::open() {
  if (file_) return;
  file_ = std::make_unique<PackFile>([this](int n) { return captures_ + "/" + name_(n); });
  pack_ = name_(file_->number());
  if (desks_.empty()) desks_.push_back(std::make_unique<Desk>());
  append(std::as_bytes(std::span(kPackMagic)));
}

void PackWriter::append(std::span<const std::byte> bytes) {
  if (pending_.size() + bytes.size() > kPendingBytes) flush();
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  size_ += bytes.size();
}

void PackWriter::flush() {
  if (pending_.empty()) return;
  file_->write_at(size_ - pending_.size(), pending_);
  pending_.clear();
}

void PackWriter::commit() {
  if (!file_) return;
  flush();
  file_->commit();
  file_.reset();
}

}  // namespace samestep
