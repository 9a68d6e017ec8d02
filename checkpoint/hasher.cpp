#include "checkpoint/hasher.h"

#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "schemas/check.h"
#include "schemas/hex.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace samestep {
namespace {

static_assert(std::endian::native == std::endian::little, "canonical bytes are hashed as they lie");

// From here on a second thread is worth its start.
constexpr std::size_t kThreadBytesMin = 8 << 20;
constexpr unsigned kThreadsMax = 2;

Digest digest_from(XXH128_hash_t hash) noexcept { return {hash.high64, hash.low64}; }

void digest_chunks(std::span<const std::byte> bytes, std::span<Digest> chunks) noexcept {
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::size_t begin = i * kChunkBytes;
    chunks[i] = digest_of_chunk(
        bytes.subspan(begin, std::min<std::size_t>(kChunkBytes, bytes.size() - begin)));
  }
}

void append_little_endian(std::vector<std::byte>& out, std::uint64_t number, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i)
    out.push_back(static_cast<std::byte>(number >> (8 * i) & 0xFF));
}

/// The chunk digests of bytes that lie in memory, large ones by two threads.
DigestTree tree_of_memory(std::span<const std::byte> bytes) {
  DigestTree tree;
  tree.bytes = bytes.size();
  tree.chunks.resize((bytes.size() + kChunkBytes - 1) / kChunkBytes);
  const std::span<Digest> chunks(tree.chunks);
  if (bytes.size() < kThreadBytesMin ||
      std::min(std::thread::hardware_concurrency(), kThreadsMax) < 2) {
    digest_chunks(bytes, chunks);
    return tree;
  }
  const std::size_t half = chunks.size() / 2;
  std::thread helper;
  try {
    helper = std::thread(
        [=] { digest_chunks(bytes.subspan(half * kChunkBytes), chunks.subspan(half)); });
  } catch (const std::system_error&) {  // a limit of threads: one does it all
    digest_chunks(bytes, chunks);
    return tree;
  }
  digest_chunks(bytes.first(half * kChunkBytes), chunks.first(half));
  helper.join();
  return tree;
}

}  // namespace

Digest digest_of_chunk(std::span<const std::byte> chunk) noexcept {
  return digest_from(XXH3_128bits(chunk.data(), chunk.size()));
}

// schemas/DIGEST.md, "The root".
Digest root_of(Dtype dtype, std::span<const std::int64_t> shape, std::uint64_t bytes,
               std::span<const Digest> chunks) {
  std::vector<std::byte> record;
  record.reserve(24 + 8 * shape.size() + 16 * chunks.size());
  append_little_endian(record, kDigestVersion, 4);
  append_little_endian(record, static_cast<std::uint8_t>(dtype), 1);
  append_little_endian(record, shape.size(), 4);
  for (const std::int64_t size : shape)
    append_little_endian(record, static_cast<std::uint64_t>(size), 8);
  append_little_endian(record, bytes, 8);
  for (const Digest& chunk : chunks) {
    append_little_endian(record, chunk.low, 8);
    append_little_endian(record, chunk.high, 8);
  }
  return digest_of_chunk(record);
}

struct Hasher::State {
  XXH3_state_t chunk;       // of the chunk that is not full yet
  std::size_t pending = 0;  // bytes in it
  DigestTree tree;

  State() { XXH3_128bits_reset(&chunk); }

  void close_chunk() {
    tree.chunks.push_back(digest_from(XXH3_128bits_digest(&chunk)));
    XXH3_128bits_reset(&chunk);
    pending = 0;
  }
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;

void Hasher::update(std::span<const std::byte> bytes) {
  state_->tree.bytes += bytes.size();
  while (!bytes.empty()) {
    if (state_->pending == 0 && bytes.size() >= kChunkBytes) {
      state_->tree.chunks.push_back(digest_of_chunk(bytes.first(kChunkBytes)));
      bytes = bytes.subspan(kChunkBytes);
      continue;
    }
    const std::size_t count = std::min<std::size_t>(bytes.size(), kChunkBytes - state_->pending);
    XXH3_128bits_update(&state_->chunk, bytes.data(), count);
    state_->pending += count;
    if (state_->pending == kChunkBytes) state_->close_chunk();
    bytes = bytes.subspan(count);
  }
}

DigestTree Hasher::finish(Dtype dtype, std::span<const std::int64_t> shape) {
  if (state_->pending > 0) state_->close_chunk();
  DigestTree tree = std::exchange(state_->tree, {});
  tree.root = root_of(dtype, shape, tree.bytes, tree.chunks);
  return tree;
}

DigestTree digest_of(const FieldBytes& bytes, Dtype dtype, std::span<const std::int64_t> shape) {
  if (const auto memory = bytes.contiguous(); !memory.empty()) {
    DigestTree tree = tree_of_memory(memory);
    tree.root = root_of(dtype, shape, tree.bytes, tree.chunks);
    return tree;
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
