// ZipWriter: archives for tests, right by default, with a knob for each thing that can be wrong.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace samestep::foreign {

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  return text;
}

/// `text` as a raw deflate stream.
inline std::string deflated(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct ZipRecord {
  std::string name, stored;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;        ///< that the directory claims after inflating
  std::string local_name;         ///< empty: the same
  std::int64_t offset_shift = 0;  ///< added to the local header's offset in the directory
  std::string local_extra;
  std::string descriptor;  ///< follows the stored bytes
};

inline ZipRecord stored_record(std::string name, std::string content) {
  ZipRecord record;
  record.crc = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
  record.bytes = content.size();
  record.name = std::move(name);
  record.stored = std::move(content);
  return record;
}

inline ZipRecord deflated_record(std::string name, const std::string& content) {
  ZipRecord record = stored_record(std::move(name), content);
  record.stored = deflated(content);
  record.method = 8;
  return record;
}

struct ZipOptions {
  bool zip64 = true;
  std::int64_t entries_shift = 0, directory_shift = 0;  ///< lies in the end records
};

inline std::string zip_of(const std::vector<ZipRecord>& records, const ZipOptions& options = {}) {
  std::string file, directory;
  for (const ZipRecord& record : records) {
    const std::string numbers = little(record.method, 2) + little(0, 4) + little(record.crc, 4) +
                                little(record.stored.size(), 4) + little(record.bytes, 4);
    const std::string local = record.local_name.empty() ? record.name : record.local_name;
    const std::uint64_t offset = file.size() + static_cast<std::uint64_t>(record.offset_shift);
    file += "PK\3\4" + little(20, 2) + little(record.flags, 2) + numbers + little(local.size(), 2) +
            little(record.local_extra.size(), 2) + local + record.local_extra + record.stored +
            record.descriptor;
    directory += "PK\1\2" + little(20, 2) + little(20, 2) + little(record.flags, 2) + numbers +
                 little(record.name.size(), 2) + little(0, 2) + little(0, 2) + little(0, 8) +
                 little(offset, 4) + record.name;
  }
  const auto entries = records.size() + static_cast<std::uint64_t>(options.entries_shift);
  const auto begin = file.size() + static_cast<std::uint64_t>(options.directory_shift);
  file += directory;
  if (options.zip64) {
    const std::uint64_t end = file.size();
    file += "PK\6\6" + little(44, 8) + little(30, 4) + little(0, 8) + little(entries, 8) +
            little(entries, 8) + little(directory.size(), 8) + little(begin, 8);
    file += "PK\6\7" + little(0, 4) + little(end, 8) + little(1, 4);
  }
  file += "PK\5\6" + little(0, 4) + little(entries, 2) + little(entries, 2) +
          little(directory.size(), 4) + little(begin, 4) + little(0, 2);
  return file;
}

}  // namespace samestep::foreign
