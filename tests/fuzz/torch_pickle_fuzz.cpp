// Any bytes as the pickle of a torch.save file whose every storage is there: how tensors of all
// kinds are rebuilt, without a container around them to guess right.
#include <memory>
#include <vector>

#include "checkpoint/formats/pickle_leaves.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

/// Each storage has the size that the pickle claims, up to 64 KiB, in a heap block of that size.
class WillingStorages final : public samestep::StorageSource {
 public:
  samestep::Storage find(const samestep::StorageName& name, const std::string& where) override {
    constexpr std::uint64_t kBytesMax = 64 * 1024;
    if (name.bytes > kBytesMax)
      throw samestep::Error(samestep::ErrorCode::corrupt, "large", where, "");
    auto bytes = std::make_shared<std::vector<std::byte>>(name.bytes, std::byte{0x41});
    const bool byte_swapped = name.key.size() > 1;
    return {samestep::FileSlice{"fuzz", *bytes, 0, bytes}, 0, byte_swapped};
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace samestep;
  return fuzz::run([&] {
    const FileSlice file = fuzz::slice_of(data, size);
    WillingStorages storages;
    Document document;
    append_pickle_leaves(pickle::run_pickle(file), file, &storages, {}, document);
    fuzz::stream_all(document);
  });
}
