#include "checkpoint/naming/recognise.h"

#include <algorithm>
#include <variant>

#include "checkpoint/naming/vocabulary.h"

namespace samestep {
namespace {

constexpr std::int64_t kTorchCpuBytes = 5056, kTorchCudaBytes = 16, kMersenneWords = 624;
constexpr std::size_t kLoopLeavesMax = 256;

bool any_of(const KeyNode& node, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](auto name) { return node.has(name); });
}

bool starts_with(const std::string& text, std::string_view prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

std::string_view last_part(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

bool is_rng_tensor(const Leaf& leaf) {
  return leaf.kind == FieldKind::tensor && leaf.dtype == Dtype::uint8 && leaf.shape.size() == 1 &&
         leaf.shape[0] == kTorchCpuBytes;
}

bool is_string_key(const KeyNode& node) {
  return node.key.kind == SourceKey::Kind::string || node.key.kind == SourceKey::Kind::attribute;
}

bool looks_like_slot_dict(const KeyNode& node) {
  return node.container() &&
         std::any_of(node.children.begin(), node.children.end(),
                     [](const auto& c) { return c->leaf && is_known_slot(c->text()); });
}

std::size_t numbers_in(const Leaf* leaf) {
  const Numbers* numbers = leaf == nullptr ? nullptr : std::get_if<Numbers>(&leaf->value);
  if (numbers == nullptr || leaf->kind != FieldKind::value) return 0;
  return std::visit([](const auto& list) { return list.size(); }, numbers->values);
}

bool is_python_random(const KeyTree& tree, const KeyNode& node) {
  return node.children.size() >= 2 && node.children.size() <= 3 &&
         numbers_in(tree.leaf(*node.children[1])) == kMersenneWords + 1;
}

bool is_numpy_random(const KeyTree& tree, const KeyNode& node) {
  if (node.children.size() < 2 || node.children.size() > 5) return false;
  const Leaf* words = tree.leaf(*node.children[1]);
  return words != nullptr && words->kind == FieldKind::tensor && words->dtype == Dtype::uint32 &&
         words->shape == std::vector<std::int64_t>{kMersenneWords};
}

}  // namespace

bool looks_like_slots(const KeyNode& node) {
  return node.container() && std::all_of(node.children.begin(), node.children.end(),
                                         [](const auto& c) { return looks_like_slot_dict(*c); });
}

bool looks_like_optimizer(const KeyNode& node) {
  const KeyNode* groups = node.child("param_groups");
  const KeyNode* state = node.child("state");
  if (groups != nullptr && groups->container()) return true;
  if (state != nullptr && looks_like_slots(*state)) return true;
  return std::any_of(node.children.begin(), node.children.end(), [](const auto& child) {
    return starts_with(child->text(), "param_groups.") ||
           (starts_with(child->text(), "state.") && is_known_slot(last_part(child->text())));
  });
}

bool looks_like_lr_scheduler(const KeyNode& node) {
  if (node.has("last_epoch")) {
    return any_of(node, {"_step_count", "_last_lr", "base_lrs", "_schedulers", "num_bad_epochs"});
  }
  if (node.has("_schedulers")) return node.has("_last_lr");
  if (node.has("num_steps")) return any_of(node, {"max_lr", "lr_decay_style", "lr_decay_steps"});
  return node.has("last_batch_iteration");
}

bool looks_like_grad_scaler(const KeyNode& node) {
  if (any_of(node, {"cur_scale"})) return true;
  if (node.has("loss_scale")) return any_of(node, {"_iter", "_last_overflow_iter"});
  return any_of(node, {"scale", "_scale"}) &&
         any_of(node, {"growth_factor", "_growth_tracker", "growth_tracker", "growth_interval"});
}

bool looks_like_loader_state(const KeyNode& node) {
  return any_of(node, {"_snapshot", "_sampler_iter_state", "_sampler_iter_yielded", "_num_yielded",
                       "_steps_since_snapshot", "_iterator_finished", "_index_sampler_state"});
}

bool looks_like_average(const KeyNode& node) {
  return node.has("shadow_params") ||
         (node.has("n_averaged") && node.children.size() > 1 && node.tensors > 1);
}

bool looks_like_module_object(const KeyNode& node) {
  return any_of(node, {"_parameters", "_modules", "_buffers"}) &&
         std::all_of(node.children.begin(), node.children.end(),
                     [](const auto& child) { return is_string_key(*child); });
}

bool is_module_tensor(const KeyTree& tree, const KeyNode& node) {
  const Leaf* leaf = tree.leaf(node);
  if (leaf == nullptr || leaf->kind != FieldKind::tensor || !is_string_key(node)) return false;
  if (is_rng_tensor(*leaf) || node.container()) return false;
  const std::string_view last = last_part(node.text());
  return last.size() < node.text().size() || is_module_leaf_name(last);
}

bool looks_like_model(const KeyTree& tree, const KeyNode& node, bool named_so) {
  std::size_t tensors = 0, module_tensors = 0;
  for (const auto& child : node.children) {
    const std::string_view last = last_part(child->text());
    if (last == "_extra_state" || child->text() == "_metadata") continue;
    const Leaf* leaf = tree.leaf(*child);
    if (leaf == nullptr || leaf->kind != FieldKind::tensor || !is_string_key(*child) ||
        is_rng_tensor(*leaf)) {
      return false;
    }
    if (starts_with(child->text(), "optimizer.state."))
      return false;  // flat keys of all components
    ++tensors;
    if (is_module_tensor(tree, *child)) ++module_tensors;
  }
  return tensors > 0 && (named_so || 2 * module_tensors >= tensors);
}

bool looks_like_nested_model(const KeyTree& tree, const KeyNode& node) {
  if (node.tensors == 0 || node.tensors != node.tensors + node.values) return false;
  std::size_t named = 0;
  for (const auto& child : node.children) {
    if (!is_string_key(*child) || child->text().find('.') != std::string::npos) return false;
    const Leaf* leaf = tree.leaf(*child);
    if (leaf != nullptr && leaf->kind == FieldKind::tensor && is_rng_tensor(*leaf)) return false;
    if (child->container() ? looks_like_nested_model(tree, *child) : is_module_tensor(tree, *child))
      ++named;
    else if (child->container())
      return false;
  }
  return named > 0;
}

bool looks_like_loop(const KeyTree& tree, const KeyNode& node) {
  if (node.values + node.tensors > kLoopLeavesMax || node.opaques > 0) return false;
  bool counts = false;
  std::size_t scalars = 0;
  for (const auto& child : node.children) {
    const Leaf* leaf = tree.leaf(*child);
    if (looks_like_optimizer(*child) || looks_like_lr_scheduler(*child)) return false;
    if (leaf == nullptr) continue;
    if (leaf->kind == FieldKind::tensor && leaf->shape.empty()) ++scalars;
    counts = counts || counter_role(child->text()).has_value();
  }
  return counts && scalars == node.tensors;
}

RngShape rng_shape(const KeyTree& tree, const KeyNode& node, bool named_so) {
  const Leaf* leaf = tree.leaf(node);
  if (leaf != nullptr && leaf->kind == FieldKind::tensor) {
    if (is_rng_tensor(*leaf)) return RngShape::torch_cpu;
    const bool small =
        leaf->dtype == Dtype::uint8 && leaf->shape == std::vector<std::int64_t>{kTorchCudaBytes};
    return small && named_so ? RngShape::torch_cuda : RngShape::none;
  }
  if (is_python_random(tree, node)) return RngShape::python;
  if (is_numpy_random(tree, node)) return RngShape::numpy;
  if (!node.has("bit_generator") || !node.has("state")) return RngShape::none;
  const bool global = node.child("state")->has("key") && node.has("has_gauss");
  return global ? RngShape::numpy_dict : RngShape::numpy_generator;
}

}  // namespace samestep
