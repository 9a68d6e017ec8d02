#include "checkpoint/formats/record_sums.h"

#include <unordered_map>
#include <utility>

#include "checkpoint/containers/mapped_file.h"
#include "checkpoint/containers/zip.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/folder.h"
#include "checkpoint/formats/pickle_leaves.h"
#include "checkpoint/formats/storage_source.h"
#include "checkpoint/formats/torch_zip.h"
#include "checkpoint/naming/name.h"
#include "checkpoint/pickle/machine.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::uint64_t kPickleBytesMax = 128ull << 20;
constexpr std::string_view kPickleName = "data.pkl";

/// The folder of the archive's one data.pkl, with its slash.
std::string root_of(const ZipArchive& archive) {
  for (const ZipEntry& entry : archive.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash != std::string::npos && entry.name.substr(slash + 1) == kPickleName)
      return entry.name.substr(0, slash + 1);
  }
  return {};
}

/// Numbers the records as their tensors come.
class Records final : public StorageSource {
 public:
  Records(const ZipArchive& archive, std::string root)
      : archive_(archive), root_(std::move(root)) {}

  Storage find(const StorageName& name, const std::string& where) override {
    const std::string record = "data/" + std::string(name.key);
    const ZipEntry* entry = archive_.find(root_ + record);
    if (entry == nullptr)
      throw Error(ErrorCode::corrupt,
                  "the tensor lies in record '" + record + "', which is missing", where,
                  "the save was interrupted: use another checkpoint");
    const auto [known, is_new] = numbers_.emplace(record, static_cast<std::int64_t>(sums_.size()));
    if (is_new) {
      const bool has_sum = archive_.has_checksums();
      sums_.push_back({record, entry->bytes, has_sum ? std::optional(entry->crc32) : std::nullopt});
    }
    FileSlice slice = archive_.content(*entry, kPickleBytesMax);
    if (slice.bytes.size() != name.bytes)
      throw Error(ErrorCode::corrupt, "record '" + record + "' has another length than its tensor",
                  where, "use another checkpoint");
    return {std::move(slice), known->second, false};
  }

  std::vector<RecordSum> take() { return std::move(sums_); }

 private:
  const ZipArchive& archive_;
  std::string root_;
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<RecordSum> sums_;
};

}  // namespace

RecordSums read_record_sums(const std::string& path) {
  if (is_folder(path))
    throw Error(ErrorCode::unsupported, "is a folder, which keeps no checksums of single tensors",
                path, "compare without --quick");
  const FileSlice file = map_file(path, std::string(file_name(path)));
  const auto refuse = [&]() -> void {
    throw Error(ErrorCode::unsupported,
                "no checksums of single tensors: this is no ZIP file of "
                "torch.save",
                path, "compare without --quick");
  };
  if (file.bytes.empty())
    throw Error(ErrorCode::corrupt, "is empty", path,
                "the save was interrupted: restore it or save again");
  if (!ZipArchive::sniff(file.bytes)) refuse();
  const ZipArchive archive = ZipArchive::open(file);
  if (!is_torch_zip(archive)) refuse();
  const std::string root = root_of(archive);
  const FileSlice data =
      archive.content(*archive.find(root + std::string(kPickleName)), kPickleBytesMax);
  Records records(archive, root);
  Document document;
  document.format = "torch.save zip";
  append_pickle_leaves(pickle::run_pickle(data), data, &records, {}, document);
  RecordSums sums;
  sums.tree = name_document(std::move(document));
  sums.records = records.take();
  return sums;
}

}  // namespace samestep
