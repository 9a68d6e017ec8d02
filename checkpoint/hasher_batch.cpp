#include "checkpoint/hasher_batch.h"

#include <algorithm>

#include "checkpoint/crew.h"
#include "checkpoint/hasher.h"
#include "checkpoint/hasher_kernel.h"
#include "schemas/check.h"

namespace samestep {
namespace {

// A piece of work: long beside the cost of taking it, short beside the whole, so that threads end
// together.
constexpr std::size_t kPieceBytes = 512 << 10;
// What a field costs beside its bytes, in bytes: its root, its memory's first access.
constexpr std::size_t kFieldCost = 512;
// From here on a second thread is worth its start.
constexpr std::size_t kThreadBytesMin = 2 << 20;

std::size_t chunks_in(std::size_t bytes) { return (bytes + kChunkBytes - 1) / kChunkBytes; }

/// A chunk of a job; pieces are cut before one.
struct Place {
  std::size_t job = 0, chunk = 0;
};

class Batch {
 public:
  explicit Batch(std::span<const DigestJob> jobs) : jobs_(jobs) {
    first_chunk_.reserve(jobs.size() + 1);
    for (std::size_t i = 0; i < jobs.size(); ++i) plan(i);
    first_chunk_.push_back(chunk_count_);
    cuts_.push_back({jobs.size(), 0});
    chunks_.resize(chunk_count_);
    roots_.resize(jobs.size());
  }

  void run() {
    kernel_ = &hash_kernel(cost_);
    const unsigned threads = cost_ < kThreadBytesMin ? 1 : threads_to_use();
    share_work(cuts_.size() - 1, threads, [this](std::size_t i) { work(cuts_[i], cuts_[i + 1]); });
    for (const std::size_t job : cut_jobs_) make_root(job);
  }

  std::vector<Digest>& roots() { return roots_; }

  std::vector<DigestTree> trees() {
    std::vector<DigestTree> trees(jobs_.size());
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const auto chunks = chunks_of(i);
      trees[i] = {roots_[i], {chunks.begin(), chunks.end()}, size_of(i)};
    }
    return trees;
  }

 private:
  std::span<const std::byte> memory_of(std::size_t job) const {
    const DigestJob& wanted = jobs_[job];
    return wanted.bytes ? wanted.bytes->contiguous() : wanted.memory;
  }
  std::uint64_t size_of(std::size_t job) const {
    const DigestJob& wanted = jobs_[job];
    return wanted.bytes ? wanted.bytes->size() : wanted.memory.size();
  }
  std::span<Digest> chunks_of(std::size_t job) {
    return std::span(chunks_).subspan(first_chunk_[job], first_chunk_[job + 1] - first_chunk_[job]);
  }

  void cut(Place place) {
    cuts_.push_back(place);
    in_piece_ = 0;
  }

  void plan(std::size_t job) {
    const std::uint64_t bytes = size_of(job);
    first_chunk_.push_back(chunk_count_);
    if (cuts_.empty() || in_piece_ >= kPieceBytes) cut({job, 0});
    in_piece_ += kFieldCost;
    cost_ += kFieldCost + bytes;
    const std::size_t chunks = chunks_in(bytes);
    chunk_count_ += chunks;
    if (bytes > 0 && memory_of(job).empty()) {
      in_piece_ += bytes;
      return;
    }
    bool is_cut = false;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      if (in_piece_ >= kPieceBytes && chunk > 0) {
        cut({job, chunk});
        is_cut = true;
      }
      in_piece_ += std::min<std::size_t>(kChunkBytes, bytes - chunk * kChunkBytes);
    }
    if (is_cut) cut_jobs_.push_back(job);
  }

  void work(Place at, Place end) {
    for (; at.job < end.job || (at.job == end.job && at.chunk < end.chunk); at = {at.job + 1, 0}) {
      const std::size_t last = at.job == end.job ? end.chunk : chunks_of(at.job).size();
      digest_part(at.job, at.chunk, last);
      if (at.chunk == 0 && last == chunks_of(at.job).size()) make_root(at.job);
    }
  }

  void digest_part(std::size_t job, std::size_t first, std::size_t last) {
    const auto memory = memory_of(job);
    if (memory.empty()) {
      if (size_of(job) > 0) stream(job);
      return;
    }
    const auto chunks = chunks_of(job);
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t begin = i * kChunkBytes;
      const std::size_t bytes = std::min<std::size_t>(kChunkBytes, memory.size() - begin);
      std::uint64_t halves[2];
      kernel_->hash(memory.data() + begin, bytes, halves);
      chunks[i] = {halves[1], halves[0]};
    }
  }

  void stream(std::size_t job) {
    Hasher hasher;
    jobs_[job].bytes->stream([&](std::span<const std::byte> piece) { hasher.update(piece); });
    const DigestTree tree = hasher.finish(jobs_[job].dtype, jobs_[job].shape);
    SAMESTEP_CHECK(tree.chunks.size() == chunks_of(job).size());
    std::ranges::copy(tree.chunks, chunks_of(job).begin());
  }

  void make_root(std::size_t job) {
    roots_[job] = root_of(jobs_[job].dtype, jobs_[job].shape, size_of(job), chunks_of(job));
  }

  std::span<const DigestJob> jobs_;
  std::vector<std::size_t> first_chunk_;  ///< of each job in chunks_, and one past the last
  std::vector<Place> cuts_;               ///< where each piece begins, and the end
  std::vector<std::size_t> cut_jobs_;     ///< jobs of which several pieces hold a part
  std::size_t in_piece_ = 0, cost_ = 0, chunk_count_ = 0;
  std::vector<Digest> chunks_, roots_;
  const HashKernel* kernel_ = nullptr;
};

}  // namespace

std::vector<DigestTree> digests_of(std::span<const DigestJob> jobs) {
  if (jobs.empty()) return {};
  Batch batch(jobs);
  batch.run();
  return batch.trees();
}

std::vector<Digest> roots_of(std::span<const DigestJob> jobs) {
  if (jobs.empty()) return {};
  Batch batch(jobs);
  batch.run();
  return std::move(batch.roots());
}

}  // namespace samestep
