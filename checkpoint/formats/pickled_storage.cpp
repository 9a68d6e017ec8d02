#include "checkpoint/formats/pickled_storage.h"

namespace samestep {
namespace {

/// Memory that a byte of a storage's own pickles may cost while they are read.
constexpr std::uint64_t kCostPerPickleByte = 64;

}  // namespace

std::optional<LoneStorage> pickled_storage(const PickleView& view, pickle::NodeId id) {
  if (view.graph.kind(id) != pickle::Kind::object ||
      !view.is_global(view.graph.object(id).callee, "torch.storage._load_from_bytes")) {
    return std::nullopt;
  }
  const auto args = view.args(id);
  const auto bytes = args.size() == 1 ? view.bytes(args[0]) : std::nullopt;
  if (!bytes || !is_torch_legacy(bytes->bytes)) return std::nullopt;
  auto lone = read_lone_storage(*bytes);
  if (!lone) return std::nullopt;
  // The same bytes may be referred to many times.
  view.charge(kCostPerPickleByte * lone->pickle_bytes);
  lone->storage.number = -1;
  return lone;
}

}  // namespace samestep
