#include "checkpoint/containers/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "checkpoint/containers/byte_reader.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

/// A zlib stream that ends itself.
struct Stream {
  Stream() {
    if (inflateInit2(&zlib, -MAX_WBITS) != Z_OK) {
      throw Error(ErrorCode::failed, "zlib cannot start", "inflate", "free some memory");
    }
  }
  ~Stream() { inflateEnd(&zlib); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  z_stream zlib{};
};

[[noreturn]] void fail(const FileSlice& source, const std::string& message) {
  throw Error(ErrorCode::corrupt, message, place_in(source, 0), "use another checkpoint");
}

}  // namespace

void inflate(const FileSlice& source, std::uint64_t bytes,
             const std::function<bool(std::span<const std::byte>)>& sink) {
  Stream stream;
  std::array<std::byte, kPieceBytes> piece;
  std::size_t read = 0;
  std::uint64_t written = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    const std::size_t input = std::min<std::size_t>(source.bytes.size() - read, 1u << 30);
    stream.zlib.next_in =
        reinterpret_cast<Bytef*>(const_cast<std::byte*>(source.bytes.data() + read));
    stream.zlib.avail_in = static_cast<uInt>(input);
    stream.zlib.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.zlib.avail_out = static_cast<uInt>(piece.size());
    status = ::inflate(&stream.zlib, Z_NO_FLUSH);
    read += input - stream.zlib.avail_in;
    const std::size_t got = piece.size() - stream.zlib.avail_out;
    if (status != Z_OK && status != Z_STREAM_END)
      fail(source, "the deflated data are damaged or cut");
    if (got > bytes - written) fail(source, "the deflated data are longer than their entry says");
    written += got;
    if (got != 0 && !sink(std::span<const std::byte>(piece.data(), got))) return;
  }
  if (written != bytes) fail(source, "the deflated data are shorter than their entry says");
}

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t crc) noexcept {
  while (!bytes.empty()) {
    const std::size_t piece = std::min<std::size_t>(bytes.size(), 1u << 30);
    crc = static_cast<std::uint32_t>(
        ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(piece)));
    bytes = bytes.subspan(piece);
  }
  return crc;
}

}  // namespace samestep
