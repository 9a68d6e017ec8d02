#include "checkpoint/verify.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "checkpoint/containers/crc32.h"
#include "checkpoint/containers/mapped_file.h"
#include "checkpoint/contracts.h"
#include "checkpoint/files/forget_pages.h"
#include "checkpoint/folder.h"
#include "checkpoint/sums_ahead.h"
#include "schemas/error.h"

namespace samestep {
namespace {

/// Large enough that scheduling costs nothing, small enough that two threads end together.
constexpr std::uint64_t kPieceBytes = 8 << 20;
/// Read by one thread before its pages are forgotten.
constexpr std::uint64_t kRunBytes = 32 << 20;

/// A part of an extent, checked by one thread.
struct Piece {
  const Extent* extent;
  std::uint64_t begin, bytes;  ///< within the extent
  std::span<const std::byte> data;
  std::uint32_t crc;
  bool is_done;
};

/// The files of a checkpoint, by the names that its extents use.
class Files {
 public:
  explicit Files(const std::string& path) : path_(path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) folder_.emplace(path);
  }
  FileSlice open(const std::string& name) const {
    return folder_ ? folder_->open(name) : map_file(path_, name);
  }

 private:
  std::string path_;
  std::optional<Folder> folder_;
};

/// True for the same `share` of all extents each time: a hash of name and place decides.
bool is_chosen(const Extent& extent, double share) {
  std::uint64_t hash = 0xCBF29CE484222325ull ^ extent.offset;
  for (const char c : extent.file + "\n" + extent.name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93ull;
  return static_cast<double>(hash >> 11) * 0x1p-53 < share;
}

class Verifier {
 public:
  Verifier(const Checkpoint& checkpoint, const VerifyOptions& options)
      : checkpoint_(checkpoint), options_(options) {
    if (options.ahead) options.ahead->stop();
    problems_ = checkpoint.problems;
    for (Problem& problem : check_contracts(checkpoint.tree, checkpoint.format).problems)
      problems_.push_back(std::move(problem));
  }

  std::vector<Problem> run(VerifyFigures* figures) {
    choose();
    check_pieces();
    compare();
    const auto key = [](const Problem& p) { return std::tie(p.where, p.message, p.kind); };
    std::sort(problems_.begin(), problems_.end(),
              [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
    problems_.erase(
        std::unique(problems_.begin(), problems_.end(),
                    [&](const Problem& a, const Problem& b) { return key(a) == key(b); }),
        problems_.end());
    if (figures) *figures = figures_;
    return std::move(problems_);
  }

 private:
  void damaged(std::string where, std::string message) {
    problems_.push_back({Problem::Kind::damaged, std::move(where), std::move(message)});
  }

  void choose() {
    const Files files(checkpoint_.path);
    std::map<std::string, std::optional<FileSlice>> opened;
    for (const Extent& extent : checkpoint_.extents) {
      if (!extent.crc32) {
        ++figures_.records_without_checksum;
        figures_.bytes_without_checksum += extent.bytes;
      } else if (!is_chosen(extent, options_.read_data_subset)) {
        ++figures_.records_left_out;
        figures_.bytes_left_out += extent.bytes;
      } else if (const FileSlice* file = open(files, extent.file, opened)) {
        add_pieces(extent, *file);
      }
    }
  }

  const FileSlice* open(const Files& files, const std::string& name,
                        std::map<std::string, std::optional<FileSlice>>& opened) {
    const auto known = opened.find(name);
    if (known != opened.end()) return known->second ? &*known->second : nullptr;
    auto& slot = opened[name];
    try {
      slot = files.open(name);
      owners_.push_back(slot->owner);
      return &*slot;
    } catch (const Error& error) {
      damaged(printable(name), error.what());
      return nullptr;
    }
  }

  void add_pieces(const Extent& extent, const FileSlice& file) {
    if (extent.offset > file.bytes.size() || extent.bytes > file.bytes.size() - extent.offset)
      return damaged(printable(extent.file) + ", offset " + std::to_string(extent.offset),
                     "the file ends before " + printable(extent.name) + " does");
    ++figures_.records_checked;
    figures_.bytes_checked += extent.bytes;
    const auto data = file.bytes.subspan(extent.offset, extent.bytes);
    if (const auto known = known_ahead(extent)) {
      pieces_.push_back({&extent, 0, extent.bytes, data, *known, true});
      return;
    }
    std::uint64_t begin = 0;
    do {
      const std::uint64_t bytes = std::min(kPieceBytes, extent.bytes - begin);
      pieces_.push_back({&extent, begin, bytes, data.subspan(begin, bytes), 0, false});
      begin += bytes;
    } while (begin < extent.bytes);
  }

  std::optional<std::uint32_t> known_ahead(const Extent& extent) const {
    return options_.ahead ? options_.ahead->find(extent.offset, extent.bytes) : std::nullopt;
  }

  void check_pieces() {
    const std::vector<std::size_t> begins = begins_of_runs();
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t run = next++; run + 1 < begins.size(); run = next++) {
        ForgetBehind behind(2 * kRunBytes);
        for (std::size_t i = begins[run]; i < begins[run + 1]; ++i) {
          if (pieces_[i].is_done) continue;
          pieces_[i].crc = fast_crc32(pieces_[i].data);
          behind.add(pieces_[i].data);
        }
      }
    };
    std::vector<std::jthread> helpers;
    const std::size_t threads = std::min<std::size_t>(
        begins.size() - 1, static_cast<std::size_t>(std::max(options_.threads, 1)));
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }

  /// Pieces that follow each other and are for one thread: where each run begins, and the end.
  std::vector<std::size_t> begins_of_runs() const {
    std::vector<std::size_t> begins;
    std::uint64_t bytes = kRunBytes;
    for (std::size_t i = 0; i < pieces_.size(); bytes += pieces_[i++].bytes) {
      if (bytes < kRunBytes) continue;
      begins.push_back(i);
      bytes = 0;
    }
    begins.push_back(pieces_.size());
    return begins;
  }

  /// Readers check the pickles that they read.
  bool is_known(const Extent& extent) const {
    const std::string name = printable(extent.name);
    return std::any_of(checkpoint_.problems.begin(), checkpoint_.problems.end(),
                       [&](const Problem& p) {
                         return p.kind == Problem::Kind::damaged &&
                                (p.where == name || p.where.starts_with(name + ": "));
                       });
  }

  void compare() {
    for (std::size_t i = 0; i < pieces_.size();) {
      const Extent& extent = *pieces_[i].extent;
      std::uint32_t crc = 0;
      for (; i < pieces_.size() && pieces_[i].extent == &extent; ++i)
        crc = combine_crc32(crc, pieces_[i].crc, pieces_[i].bytes);
      if (crc != *extent.crc32 && !is_known(extent))
        damaged(printable(extent.name),
                "its bytes changed after they were saved: their checksum does not match (" +
                    printable(extent.file) + ", offset " + std::to_string(extent.offset) + ", " +
                    std::to_string(extent.bytes) + " bytes)");
    }
  }

  const Checkpoint& checkpoint_;
  const VerifyOptions& options_;
  std::vector<Problem> problems_;
  std::vector<Piece> pieces_;
  std::vector<std::shared_ptr<const void>> owners_;
  VerifyFigures figures_;
};

}  // namespace

std::vector<Problem> verify_checkpoint(const Checkpoint& checkpoint, const VerifyOptions& options,
                                       VerifyFigures* figures) {
  return Verifier(checkpoint, options).run(figures);
}

}  // namespace samestep
