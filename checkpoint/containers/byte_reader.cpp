#include "checkpoint/containers/byte_reader.h"

#include <cstring>

#include "schemas/error.h"

namespace samestep {

ByteReader::ByteReader(const FileSlice& slice, std::uint64_t begin) : slice_(&slice), position_(0) {
  seek(begin);
}

void ByteReader::seek(std::uint64_t position) {
  if (position > slice_->bytes.size()) fail_at(position, "lies past the end of the data");
  position_ = position;
}

std::span<const std::byte> ByteReader::take(std::uint64_t length, const char* what) {
  if (length > left()) {
    fail(std::string(what) + " needs " + std::to_string(length) + " bytes, " +
         std::to_string(left()) + " are left");
  }
  const auto bytes = slice_->bytes.subspan(position_, length);
  position_ += length;
  return bytes;
}

std::string_view ByteReader::line(const char* what) {
  const std::string_view rest = characters(slice_->bytes.subspan(position_));
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) fail(std::string(what) + " has no end of line");
  position_ += end + 1;
  return rest.substr(0, end);
}

void ByteReader::fail_at(std::uint64_t position, const std::string& message) const {
  throw Error(ErrorCode::corrupt, message, place_in(*slice_, position),
              "the file was cut or damaged: use another checkpoint");
}

std::uint64_t ByteReader::number(int bytes, const char* what) {
  const auto raw = take(static_cast<std::uint64_t>(bytes), what);
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;) {
    value = (value << 8) | std::to_integer<std::uint64_t>(raw[static_cast<std::size_t>(i)]);
  }
  return value;
}

std::string place_in(const FileSlice& slice, std::uint64_t position) {
  return slice.file + ", byte " + std::to_string(slice.offset + position);
}

}  // namespace samestep
