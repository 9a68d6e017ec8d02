#include "checkpoint/formats/python_file.h"

#include "checkpoint/containers/zip.h"
#include "checkpoint/formats/npy.h"
#include "checkpoint/formats/pickle_leaves.h"
#include "checkpoint/formats/torch_export.h"
#include "checkpoint/formats/torch_legacy.h"
#include "checkpoint/formats/torch_zip.h"
#include "schemas/error.h"

namespace samestep {
namespace {

/// Text pickles (protocol 0 and 1) begin with one of these opcodes; only ".pkl"-like names are
/// believed.
bool is_named_pickle(const FileSlice& file) {
  for (const std::string_view suffix : {".pkl", ".pickle", ".p"}) {
    if (file.file.ends_with(suffix)) return true;
  }
  return false;
}

bool is_binary_pickle(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= 3 && bytes[0] == std::byte{0x80} && bytes[1] <= std::byte{5};
}

}  // namespace

bool looks_like_python_file(std::span<const std::byte> bytes) noexcept {
  return ZipArchive::sniff(bytes) || is_npy(bytes) || is_torch_legacy(bytes) ||
         is_binary_pickle(bytes);
}

Document read_python_file(const FileSlice& file) {
  if (ZipArchive::sniff(file.bytes)) {
    const ZipArchive archive = ZipArchive::open(file);
    if (is_npz(archive)) return read_npz(archive);
    if (is_torch_export(archive)) return read_torch_export(archive);
    return read_torch_zip(archive);
  }
  if (is_npy(file.bytes)) return read_npy(file);
  if (is_torch_legacy(file.bytes)) return read_torch_legacy(file);
  if (is_binary_pickle(file.bytes) || is_named_pickle(file)) return read_bare_pickle(file);
  throw Error(ErrorCode::unsupported,
              file.bytes.empty() ? "the file is empty" : "is no torch, NumPy or pickle file",
              file.file, "name a checkpoint");
}

}  // namespace samestep
