#include "capture/pack_rewrite.h"

#include <map>
#include <memory>
#include <span>
#include <utility>

#include "checkpoint/files/folder.h"
#include "checkpoint/files/mapped_file.h"
#include "checkpoint/files/pack_file.h"
#include "checkpoint/store.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

/// Reads the blob of `field` to its end: what is damaged is not copied as if it were sound.
void check_blob(const std::shared_ptr<const PackFolder>& packs, const CaptureRank& capture,
                const Field& field, const BlobPlace& place) {
  BlobClaim claim{{*field.digest, {}, field.bytes}, field.dtype, field.shape, field.path.text()};
  if (const auto chunks = capture.chunks.find(*field.digest); chunks != capture.chunks.end())
    claim.digest.chunks = chunks->second;
  blob_bytes(packs, place, std::move(claim))->stream([](std::span<const std::byte>) {});
}

const Field& field_of(const ReadManifest& manifest, const Digest& digest) {
  for (const Field& field : manifest.capture.fields) {
    if (field.digest == digest) return field;
  }
  throw Error(ErrorCode::corrupt, "a blob that no field has: " + digest.hex(), manifest.path,
              "record the capture again");
}

}  // namespace

void rewrite_pack(const RunFolder& run, const std::string& pack,
                  std::vector<ReadManifest>& manifests) {
  const auto packs = std::make_shared<const PackFolder>(run.captures());
  std::map<std::uint64_t, std::uint64_t> sizes, moved;  // by the offset that they have now
  const ReadManifest* first = nullptr;
  for (const ReadManifest& manifest : manifests) {
    for (const auto& [digest, place] : manifest.capture.blobs) {
      if (place.pack != pack) continue;
      if (first == nullptr) first = &manifest;
      if (sizes.emplace(place.offset, place.stored_bytes).second)
        check_blob(packs, manifest.capture, field_of(manifest, digest), place);
    }
  }
  SAMESTEP_CHECK(first != nullptr);
  const std::string folder = name_of(folder_of(first->path));
  const int rank = first->capture.boundary.rank;
  const auto name = [&](int n) { return folder + "/" + RunFolder::pack_file(rank, n); };
  PackFile file([&](int n) { return run.captures() + "/" + name(n); });
  file.write_at(0, std::as_bytes(std::span(kPackMagic)));
  std::uint64_t end = kPackMagic.size();
  const auto source = packs->open(pack);
  for (const auto& [offset, size] : sizes) {
    end = (end + kBlobAlignment - 1) / kBlobAlignment * kBlobAlignment;
    file.write_at(end, source->bytes().subspan(offset, size));
    moved[offset] = end;
    end += size;
  }
  file.commit();
  for (ReadManifest& manifest : manifests) {
    for (auto& [digest, place] : manifest.capture.blobs) {
      const auto to = moved.find(place.offset);
      if (place.pack != pack || to == moved.end()) continue;
      place.pack = name(file.number());
      place.offset = to->second;
    }
  }
}

}  // namespace samestep
