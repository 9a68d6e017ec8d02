#include "checkpoint/compressor.h"

#include <zstd.h>

#include <memory>

#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr int kLevel = 1;

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

Frames decompress_frames(std::span<const std::byte> bytes, const std::string& where,
                         std::uint64_t bytes_max) {
  Frames result;
  while (!bytes.empty()) {
    const std::size_t stored = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
    if (ZSTD_isError(stored)) {
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
