#include "checkpoint/naming/module_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace samestep {
namespace {

constexpr std::array<std::string_view, 4> kWrappers{
    "_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", "_forward_module."};
constexpr std::string_view kParallel = "module.";

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + part;
  return text;
}

// {"_modules", "a", "_parameters", "weight"} -> {"a", "weight"}; other attributes keep their name.
std::vector<std::string> module_object_parts(const std::vector<std::string>& parts) {
  std::vector<std::string> names;
  std::size_t i = 0;
  while (i + 1 < parts.size() && parts[i] == "_modules") {
    names.push_back(parts[i + 1]);
    i += 2;
  }
  if (i + 1 < parts.size() && (parts[i] == "_parameters" || parts[i] == "_buffers")) ++i;
  names.insert(names.end(), parts.begin() + static_cast<std::ptrdiff_t>(i), parts.end());
  return names;
}

// A name under which an average keeps the averaged model's tensors.
bool holds_weights(const std::string& key) {
  constexpr std::array<std::string_view, 10> kWords{
      "module", "model", "shadow", "state", "params", "param", "weights", "ema", "net", "average"};
  const auto words = words_of(key);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return has_word(words, word); });
}

std::string_view last_part(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

}  // namespace

std::string fold_wrappers(std::string name) {
  for (const std::string_view wrapper : kWrappers) {
    for (auto at = name.find(wrapper); at != std::string::npos; at = name.find(wrapper, at)) {
      if (at != 0 && name[at - 1] != '.') {
        at += wrapper.size();
        continue;
      }
      name.erase(at, wrapper.size());
    }
  }
  return name;
}

std::vector<std::vector<std::string>> module_names(const ClaimedComponent& model) {
  std::vector<std::vector<std::string>> names;
  for (const ClaimedLeaf& leaf : model.leaves) {
    std::vector<std::string> parts = leaf.parts;
    if (model.module_object) parts = {join(module_object_parts(parts))};
    if (model.nested) parts = {join(parts)};
    if (!parts.empty()) parts.front() = fold_wrappers(std::move(parts.front()));
    names.push_back(std::move(parts));
  }
  const bool parallel =
      !names.empty() && std::all_of(names.begin(), names.end(), [](const auto& parts) {
        return !parts.empty() && parts.front().compare(0, kParallel.size(), kParallel) == 0;
      });
  for (auto& parts : names) {
    if (parallel) parts.front() = fold_wrappers(parts.front().substr(kParallel.size()));
  }
  return names;
}

std::vector<std::vector<std::string>> average_names(const ClaimedComponent& average,
                                                    const KeyTree& tree) {
  std::vector<std::vector<std::string>> names;
  std::set<std::vector<std::string>> taken;
  for (const ClaimedLeaf& leaf : average.leaves) {
    std::vector<std::string> parts = leaf.parts;
    const bool weight = tree.document().leaves[leaf.leaf].kind == FieldKind::tensor &&
                        leaf.node != nullptr && leaf.node->key.kind != SourceKey::Kind::integer;
    if (weight && parts.size() == 2 && holds_weights(parts.front())) parts.erase(parts.begin());
    if (weight && parts.size() == 1) {
      std::string name = fold_wrappers(parts.front());
      if (name.compare(0, kParallel.size(), kParallel) == 0) name.erase(0, kParallel.size());
      parts = {fold_wrappers(std::move(name))};
    }
    if (!taken.insert(parts).second) parts = leaf.parts;
    names.push_back(std::move(parts));
  }
  return names;
}

Role module_role(const std::string& name, const Leaf& leaf) {
  if (leaf.kind != FieldKind::tensor) return Role::other;
  if (is_buffer_name(last_part(name))) return Role::buffer;
  const bool trains = is_floating(leaf.dtype);
  return trains ? Role::parameter : Role::buffer;
}

}  // namespace samestep
