#include "checkpoint/hasher.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "checkpoint/hasher_batch.h"
#include "checkpoint/hasher_kernel.h"
#include "schemas/check.h"
#include "schemas/hex.h"

namespace samestep {
namespace {

static_assert(std::endian::native == std::endian::little, "canonical bytes are hashed as they lie");

// From here on work is handed to hasher_batch.h, which shares it among threads.
constexpr std::size_t kBatchBytesMin = 2 << 20;

Digest hashed(std::size_t bytes_of_work, const void* bytes, std::size_t size) noexcept {
  std::uint64_t halves[2];
  hash_kernel(bytes_of_work).hash(bytes, size, halves);
  return {halves[1], halves[0]};
}

template <typename T>
std::byte* append(std::byte* at, const T& number) noexcept {
  std::memcpy(at, &number, sizeof number);
  return at + sizeof number;
}

/// The record of schemas/DIGEST.md, "The root", at `record`; returns its end.
std::byte* write_record(std::byte* record, Dtype dtype, std::span<const std::int64_t> shape,
                        std::uint64_t bytes, std::span<const Digest> chunks) noexcept {
  record = append(record, std::uint32_t{kDigestVersion});
  record = append(record, static_cast<std::uint8_t>(dtype));
  record = append(record, static_cast<std::uint32_t>(shape.size()));
  for (const std::int64_t size : shape) record = append(record, size);
  record = append(record, bytes);
  for (const Digest& chunk : chunks) {
    record = append(record, chunk.low);
    record = append(record, chunk.high);
  }
  return record;
}

}  // namespace

Digest digest_of_chunk(std::span<const std::byte> chunk) noexcept {
  return hashed(chunk.size(), chunk.data(), chunk.size());
}

Digest root_of(Dtype dtype, std::span<const std::int64_t> shape, std::uint64_t bytes,
               std::span<const Digest> chunks) {
  const std::size_t most = 17 + 8 * shape.size() + 16 * chunks.size();
  std::array<std::byte, 256> small;
  std::vector<std::byte> large(most > small.size() ? most : 0);
  std::byte* const record = large.empty() ? small.data() : large.data();
  const std::byte* const end = write_record(record, dtype, shape, bytes, chunks);
  return digest_of_chunk({record, static_cast<std::size_t>(end - record)});
}

struct Hasher::State {
  std::vector<std::byte> pending;  ///< of the chunk that is not full yet
  DigestTree tree;

  void close_chunk(std::span<const std::byte> chunk) {
    // All that has come is what lies ahead, as far as one can know.
    tree.chunks.push_back(hashed(tree.bytes, chunk.data(), chunk.size()));
  }
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;

void Hasher::update(std::span<const std::byte> bytes) {
  auto& pending = state_->pending;
  state_->tree.bytes += bytes.size();
  while (!bytes.empty()) {
    if (pending.empty() && bytes.size() >= kChunkBytes) {
      state_->close_chunk(bytes.first(kChunkBytes));
      bytes = bytes.subspan(kChunkBytes);
      continue;
    }
    const std::size_t count = std::min<std::size_t>(bytes.size(), kChunkBytes - pending.size());
    pending.insert(pending.end(), bytes.begin(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(count));
    if (pending.size() == kChunkBytes) {
      state_->close_chunk(pending);
      pending.clear();
    }
    bytes = bytes.subspan(count);
  }
}

DigestTree Hasher::finish(Dtype dtype, std::span<const std::int64_t> shape) {
  if (!state_->pending.empty()) state_->close_chunk(state_->pending);
  state_->pending.clear();
  DigestTree tree = std::exchange(state_->tree, {});
  tree.root = root_of(dtype, shape, tree.bytes, tree.chunks);
  return tree;
}

DigestTree digest_of(const FieldBytes& bytes, Dtype dtype, std::span<const std::int64_t> shape) {
  if (const auto memory = bytes.contiguous(); memory.size() >= kBatchBytesMin) {
    const DigestJob job{memory, nullptr, dtype, shape};
    return std::move(digests_of({&job, 1}).front());
  }
  Hasher hasher;
  bytes.stream([&hasher](std::span<const std::byte> piece) { hasher.update(piece); });
  return hasher.finish(dtype, shape);
}

DigestTree digest_of(const Value& value) { return digest_of(*value_bytes(value), Dtype::none, {}); }

std::string sha256_of(const FieldBytes& bytes) {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  SAMESTEP_CHECK(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  bytes.stream([&](std::span<const std::byte> piece) {
    SAMESTEP_CHECK(EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1);
  });
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  SAMESTEP_CHECK(EVP_DigestFinal_ex(context.get(), sum, &length) == 1);
  return hex_of(std::as_bytes(std::span(sum, length)));
}

}  // namespace samestep
