#include "capture/torch/step_boundaries.h"

#include "capture/cell.h"
#include "capture/torch/tensor_digest.h"
#include "checkpoint/hasher.h"

namespace samestep::libtorch {
namespace {

Digest digest_of_bytes(const StateEntry& entry) {
  return samestep::digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root;
}

bool is_optimizer_slot(const FieldPath& path) {
  const auto parts = path.parts();
  return path.component_kind() == "optimizer" && parts.size() > 2 && parts[1] == "state";
}

/// "model.1/w" as "model/model.1.w": one name for all parameters of a step.
std::string parameter_phase(const FieldPath& path) {
  const auto parts = path.parts();
  return parts[0] == "model" ? "model/" + parts[1] : "model/" + parts[0] + "." + parts[1];
}

}  // namespace

StateEntry next_batch_entry(at::ArrayRef<at::Tensor> batch) {
  return value_entry(
      {{"dataloader", "next_batch"}, Role::cursor, {{"declared", "loader"}, {"owner", "loader"}}},
      digest_of(batch).hex());
}

std::string gradient_phase(const FieldPath& gradient) {
  const auto parts = gradient.parts();
  const std::size_t dot = parts[0].find('.');
  return "grad:" + (dot == std::string::npos ? "" : "model" + parts[0].substr(dot) + ".") +
         parts[1];
}

PhaseDigests gradient_phases(const StateTree& now) {
  PhaseDigests found;
  for (const StateEntry& entry : now.entries())
    if (entry.field.role == Role::gradient)
      found.emplace_back(gradient_phase(entry.field.path), digest_of_bytes(entry));
  return found;
}

PhaseDigests optimizer_phases(const StateTree& now) {
  PhaseDigests found;
  for (const StateEntry& entry : now.entries())
    if (entry.field.role == Role::parameter && entry.field.path.component_kind() == "model")
      found.emplace_back("optimizer:" + parameter_phase(entry.field.path), digest_of_bytes(entry));
  for (const StateEntry& entry : now.entries())
    if (is_optimizer_slot(entry.field.path))
      found.emplace_back("optimizer:" + entry.field.path.text(), digest_of_bytes(entry));
  return found;
}

}  // namespace samestep::libtorch
