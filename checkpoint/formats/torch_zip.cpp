#include "checkpoint/formats/torch_zip.h"

#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/containers/crc32.h"
#include "checkpoint/formats/pickle_leaves.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::uint64_t kInflatedMax = 128ull << 20;
constexpr int kVersionMax = 10;  // kMaxSupportedFileFormatVersion of torch
constexpr std::string_view kPickleName = "data.pkl";

[[noreturn]] void fail(const ZipArchive& archive, const std::string& message,
                       ErrorCode code = ErrorCode::corrupt) {
  throw Error(code, message, archive.archive().file, "use another checkpoint");
}

/// The folder that all records lie in, with its slash.
std::string find_root(const ZipArchive& archive) {
  std::string root;
  for (const ZipEntry& entry : archive.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash == std::string::npos || entry.name.substr(slash + 1) != kPickleName) continue;
    if (!root.empty())
      fail(archive, "two folders hold a data.pkl: '" + root + "' and '" + entry.name + "'");
    root = entry.name.substr(0, slash + 1);
  }
  if (root.empty()) fail(archive, "the ZIP file holds no data.pkl: it is no torch checkpoint");
  return root;
}

class Reader final : public StorageSource {
 public:
  explicit Reader(const ZipArchive& archive) : archive_(archive), root_(find_root(archive)) {}

  Document read();
  Storage find(const StorageName& name, const std::string& where) override;

 private:
  FileSlice record(const ZipEntry& entry);
  void report(const ZipEntry& entry, const std::string& mismatch);
  std::string small_text(const char* name);
  void check_version();
  void read_byte_order();
  void check_pickle(const FileSlice& pickle, const ZipEntry& entry);
  std::uint64_t begin_of(const ZipEntry& entry);
  void add_extents();

  const ZipArchive& archive_;
  std::string root_;
  bool big_endian_ = false;
  Document document_;
  std::uint64_t inflated_left_ = kInflatedMax;
  std::unordered_map<std::string, Storage> storages_;
  std::unordered_map<std::string_view, std::uint64_t> opened_;  // record -> where its bytes begin
  std::map<std::string, std::string> users_;  // record -> the first tensor that lies in it
};

FileSlice Reader::record(const ZipEntry& entry) {
  std::string mismatch;
  FileSlice slice = archive_.content(entry, inflated_left_, &mismatch);
  opened_.emplace(entry.name, slice.offset);
  if (entry.deflated) inflated_left_ -= entry.bytes;
  report(entry, mismatch);
  return slice;
}

void Reader::report(const ZipEntry& entry, const std::string& mismatch) {
  if (mismatch.empty()) return;
  document_.problems.push_back(
      {Problem::Kind::damaged, place_in(archive_.archive(), entry.header_offset), mismatch});
}

std::string Reader::small_text(const char* name) {
  const ZipEntry* entry = archive_.find(root_ + name);
  if (entry == nullptr || entry->bytes > 64) return {};
  std::string text(characters(record(*entry).bytes));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

void Reader::check_version() {
  const std::string text = small_text("version");
  const bool number = !text.empty() && text.size() <= 3 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  if (text.empty()) return;
  if (!number || std::stoi(text) > kVersionMax) {
    fail(archive_, "the archive has version '" + text + "', which is not known",
         ErrorCode::unsupported);
  }
}

void Reader::read_byte_order() {
  const std::string text = small_text("byteorder");
  if (!text.empty() && text != "little" && text != "big")
    fail(archive_, "the byte order is '" + text + "'");
  big_endian_ = text == "big";
}

void Reader::check_pickle(const FileSlice& pickle, const ZipEntry& entry) {
  if (!archive_.has_checksums() || fast_crc32(pickle.bytes) == entry.crc32) return;
  document_.problems.push_back(
      {Problem::Kind::damaged, entry.name,
       "its bytes changed after they were saved: their checksum does not match (" +
           place_in(pickle, 0) + ")"});
}

Storage Reader::find(const StorageName& name, const std::string& where) {
  const std::string record_name = root_ + "data/" + std::string(name.key);
  auto known = storages_.find(record_name);
  if (known == storages_.end()) {
    const ZipEntry* entry = archive_.find(record_name);
    if (entry == nullptr) {
      throw Error(ErrorCode::corrupt,
                  "the tensor lies in record '" + record_name + "', which is missing", where,
                  "the save was interrupted: use another checkpoint");
    }
    const auto number = static_cast<std::int64_t>(storages_.size());
    known = storages_.emplace(record_name, Storage{record(*entry), number, big_endian_}).first;
    users_.emplace(record_name, where);
  }
  const std::uint64_t bytes = known->second.slice.bytes.size();
  if (bytes != name.bytes) {
    throw Error(ErrorCode::corrupt,
                "the storage should have " + std::to_string(name.bytes) + " bytes, its record '" +
                    record_name + "' has " + std::to_string(bytes),
                where, "use another checkpoint");
  }
  return known->second;
}

/// Where its stored bytes begin in the file; its local header is looked at once.
std::uint64_t Reader::begin_of(const ZipEntry& entry) {
  if (const auto known = opened_.find(entry.name); known != opened_.end()) return known->second;
  std::string mismatch;
  const FileSlice stored = archive_.stored(entry, &mismatch);
  report(entry, mismatch);
  return stored.offset;
}

void Reader::add_extents() {
  std::uint64_t unreferenced = 0;
  for (const ZipEntry& entry : archive_.entries()) {
    const auto user = users_.find(entry.name);
    if (entry.name.starts_with(root_ + "data/") && user == users_.end()) ++unreferenced;
    const bool checked = archive_.has_checksums() && !entry.deflated;
    document_.extents.push_back(Extent{archive_.archive().file, begin_of(entry), entry.stored_bytes,
                                       checked ? std::optional(entry.crc32) : std::nullopt,
                                       user == users_.end() ? entry.name : user->second});
  }
  if (unreferenced != 0) {
    document_.notes.push_back(std::to_string(unreferenced) + " records are referred to by nothing");
  }
}

Document Reader::read() {
  document_.format = "torch.save zip";
  document_.notes = archive_.notes();
  check_version();
  read_byte_order();
  const ZipEntry* entry = archive_.find(root_ + std::string(kPickleName));
  const FileSlice data = record(*entry);
  check_pickle(data, *entry);
  const pickle::Pickle pickle = pickle::run_pickle(data);
  append_pickle_leaves(pickle, data, this, {}, document_);
  if (pickle.end != data.bytes.size()) {
    document_.notes.push_back(std::to_string(data.bytes.size() - pickle.end) +
                              " bytes follow the pickle in data.pkl");
  }
  if (!archive_.has_checksums()) document_.notes.emplace_back("no checksums were kept");
  add_extents();
  return std::move(document_);
}

}  // namespace

Document read_torch_zip(const FileSlice& file) { return read_torch_zip(ZipArchive::open(file)); }

Document read_torch_zip(const ZipArchive& archive) { return Reader(archive).read(); }

bool is_torch_zip(const ZipArchive& archive) {
  for (const ZipEntry& entry : archive.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash != std::string::npos && entry.name.substr(slash + 1) == kPickleName) return true;
  }
  return false;
}

}  // namespace samestep
