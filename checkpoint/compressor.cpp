#include "checkpoint/compressor.h"

// For the parameter that asks for Huffman codes at a negative level.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr int kLevel = 1;
// Looks for next to no matches.
constexpr int kLiteralsLevel = -(1 << 17);
constexpr int kLiteralsHashLog = 6;
constexpr unsigned char kMagic[4] = {0x28, 0xB5, 0x2F, 0xFD};  // of a frame

struct Free {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

[[noreturn]] void fail(const std::string& message, const std::string& where) {
  throw Error(ErrorCode::corrupt, message, where, "the file is damaged: record it again");
}

std::uint64_t content_bytes(std::span<const std::byte> frame, const std::string& where) {
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR) fail("not a Zstandard frame", where);
  if (size == ZSTD_CONTENTSIZE_UNKNOWN) fail("a Zstandard frame does not say its length", where);
  return size;
}

/// A frame that is not whole is the last one, and as it was written as far as it goes; or nothing
/// of it has reached the disk but its length.
bool is_torn(std::span<const std::byte> rest, std::size_t error) {
  if (std::ranges::all_of(rest, [](std::byte byte) { return byte == std::byte{0}; })) return true;
  if (ZSTD_getErrorCode(error) != ZSTD_error_srcSize_wrong) return false;
  for (std::size_t i = 1; i + sizeof kMagic <= rest.size(); ++i) {
    if (std::memcmp(rest.data() + i, kMagic, sizeof kMagic) != 0) continue;
    const auto next = rest.subspan(i);
    if (!ZSTD_isError(ZSTD_findFrameCompressedSize(next.data(), next.size()))) return false;
  }
  return true;
}

void expand(std::span<const std::byte> frame, std::span<std::byte> target,
            const std::string& where) {
  const std::size_t count =
      ZSTD_decompress(target.data(), target.size(), frame.data(), frame.size());
  if (ZSTD_isError(count))
    fail(std::string("a Zstandard frame is damaged: ") + ZSTD_getErrorName(count), where);
  if (count != target.size()) fail("a Zstandard frame ends early", where);
}

}  // namespace

std::vector<std::byte> compress(std::span<const std::byte> bytes) {
  const std::unique_ptr<ZSTD_CCtx, Free> context(ZSTD_createCCtx());
  SAMESTEP_CHECK(context);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::vector<std::byte> frame(ZSTD_compressBound(bytes.size()));
  const std::size_t count =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), bytes.data(), bytes.size());
  SAMESTEP_CHECK(!ZSTD_isError(count));
  frame.resize(count);
  return frame;
}

std::vector<std::byte> decompress(std::span<const std::byte> frame, std::uint64_t bytes_expected,
                                  const std::string& where) {
  // Asked before anything is allocated.
  if (content_bytes(frame, where) != bytes_expected)
    fail("a Zstandard frame has another length than was recorded", where);
  std::vector<std::byte> bytes(bytes_expected);
  expand(frame, bytes, where);
  return bytes;
}

struct SmallFrames::Contexts {
  struct FreeBoth {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, FreeBoth> literals, matches;
  std::unique_ptr<ZSTD_DCtx, FreeBoth> expanding;

  ZSTD_CCtx* compressing(Effort effort) {
    auto& context = effort == Effort::literals ? literals : matches;
    if (context) return context.get();
    context.reset(ZSTD_createCCtx());
    SAMESTEP_CHECK(context);
    const auto set = [&](ZSTD_cParameter parameter, int value) {
      SAMESTEP_CHECK(!ZSTD_isError(ZSTD_CCtx_setParameter(context.get(), parameter, value)));
    };
    if (effort == Effort::literals) {
      set(ZSTD_c_compressionLevel, kLiteralsLevel);
      set(ZSTD_c_hashLog, kLiteralsHashLog);
      set(ZSTD_c_literalCompressionMode, ZSTD_ps_enable);
    } else {
      set(ZSTD_c_compressionLevel, kLevel);
    }
    return context.get();
  }
};

SmallFrames::SmallFrames() : contexts_(std::make_unique<Contexts>()) {}
SmallFrames::~SmallFrames() = default;
SmallFrames::SmallFrames(SmallFrames&&) noexcept = default;
SmallFrames& SmallFrames::operator=(SmallFrames&&) noexcept = default;

std::size_t SmallFrames::compress(std::span<const std::byte> bytes, Effort effort,
                                  std::span<std::byte> frame) {
  const std::size_t count = ZSTD_compress2(contexts_->compressing(effort), frame.data(),
                                           frame.size(), bytes.data(), bytes.size());
  return ZSTD_isError(count) ? 0 : count;
}

bool SmallFrames::expand(std::span<const std::byte> frame, std::span<std::byte> bytes) {
  auto& context = contexts_->expanding;
  if (!context) context.reset(ZSTD_createDCtx());
  SAMESTEP_CHECK(context);
  const std::size_t count =
      ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(), frame.data(), frame.size());
  return !ZSTD_isError(count) && count == bytes.size();
}

Frames decompress_frames(std::span<const std::byte> bytes, const std::string& where,
                         std::uint64_t bytes_max) {
  Frames result;
  while (!bytes.empty()) {
    const std::size_t stored = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
    if (ZSTD_isError(stored)) {
      if (!is_torn(bytes, stored)) fail("a Zstandard frame is damaged", where);
      result.whole = false;
      break;
    }
    const auto frame = bytes.first(stored);
    const std::uint64_t length = content_bytes(frame, where);
    if (length > bytes_max - result.text.size()) {
      throw Error(ErrorCode::limit, "more than " + std::to_string(bytes_max) + " bytes of log",
                  where);
    }
    const std::size_t before = result.text.size();
    result.text.resize(before + length);
    expand(frame, std::as_writable_bytes(std::span(result.text).subspan(before)), where);
    ++result.frames;
    bytes = bytes.subspan(stored);
  }
  return result;
}

}  // namespace samestep
