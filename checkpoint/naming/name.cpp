#include "checkpoint/naming/name.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "checkpoint/naming/claims.h"
#include "checkpoint/naming/module_names.h"
#include "checkpoint/naming/optimizer_names.h"
#include "checkpoint/naming/ranks.h"
#include "checkpoint/naming/scalar.h"

namespace samestep {
namespace {

using Kind = ComponentKind;

struct Named {
  std::vector<std::string> parts;
  Role role = Role::other;
  std::map<std::string, std::string> traits;
};

std::string component_text(const ClaimedComponent& component) {
  std::string text(to_string(component.kind));
  if (component.number > 0) text += "." + std::to_string(component.number);
  return text;
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// A component that is itself a leaf: an object's class, pickled bytes that were opened, or a value.
std::string name_of_whole(const Leaf& leaf) {
  if (leaf.kind == FieldKind::opaque) return "__class__";
  return std::holds_alternative<Bytes>(leaf.value) ? "pickled" : "value";
}

class Namer {
 public:
  explicit Namer(const KeyTree& tree) : tree_(tree), named_(tree.document().leaves.size()) {}

  std::vector<Named> run() {
    const auto components = claim_components(tree_);
    optimizers_ = std::count_if(components.begin(), components.end(), [](const auto& component) {
      return component.kind == Kind::optimizer;
    });
    for (const auto& component : components) {
      if (component.kind == Kind::model) name_model(component);
    }
    for (const auto& component : components) {
      if (component.kind == Kind::ema) order_by_average(component);
    }
    for (const auto& component : components) {
      if (component.kind == Kind::model) continue;
      component.kind == Kind::optimizer ? name_optimizer(component) : name_other(component);
    }
    return std::move(named_);
  }

 private:
  const Leaf& leaf(const ClaimedLeaf& claimed) const {
    return tree_.document().leaves[claimed.leaf];
  }

  void set(const ClaimedComponent& component, const ClaimedLeaf& claimed,
           const std::vector<std::string>& parts, Role role) {
    Named& named = named_[claimed.leaf];
    named.parts = {component_text(component)};
    named.parts.insert(named.parts.end(), parts.begin(), parts.end());
    if (parts.empty()) named.parts.push_back(name_of_whole(leaf(claimed)));
    named.role = role;
    if (claimed.rank) named.traits["rank"] = std::to_string(*claimed.rank);
  }

  void name_model(const ClaimedComponent& component);
  void order_by_average(const ClaimedComponent& average);
  bool holds_model_shapes(const ClaimedComponent& optimizer, const OptimizerNames& names) const;
  void name_optimizer(const ClaimedComponent& component);
  void name_other(const ClaimedComponent& component);
  Role role_of(const ClaimedComponent& component, const ClaimedLeaf& claimed,
               const std::vector<std::string>& parts) const;

  const KeyTree& tree_;
  std::vector<Named> named_;
  std::vector<ModelView> models_;
  std::ptrdiff_t optimizers_ = 0;
};

void Namer::name_model(const ClaimedComponent& component) {
  const auto names = module_names(component);
  ModelView view;
  std::set<std::string> seen;
  std::set<std::tuple<std::int64_t, std::int64_t, Shape>> storages;
  for (std::size_t i = 0; i < component.leaves.size(); ++i) {
    const Leaf& tensor = leaf(component.leaves[i]);
    const std::string name = names[i].empty() ? std::string{} : names[i].front();
    const Role role = names[i].size() == 1 ? module_role(name, tensor) : Role::other;
    set(component, component.leaves[i], names[i], role);
    if (ends_with(tensor.source.file, ".safetensors")) view.module_order = false;
    // A tied tensor is one parameter to the optimizer, and so are the shards of one tensor.
    const bool tied =
        tensor.layout.storage >= 0 && tensor.kind == FieldKind::tensor && role == Role::parameter &&
        !storages.emplace(tensor.layout.storage, tensor.layout.storage_offset, tensor.shape).second;
    if (role == Role::parameter && !tied && seen.insert(name).second)
      view.tensors.push_back({name, tensor.shape});
  }
  models_.push_back(std::move(view));
}

// A model whose file keeps no order (safetensors) has the order of its average, where that keeps
// one.
void Namer::order_by_average(const ClaimedComponent& average) {
  std::map<std::string, std::size_t> order;
  const auto names = average_names(average, tree_);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Leaf& tensor = leaf(average.leaves[i]);
    if (names[i].size() != 1 || tensor.kind != FieldKind::tensor) continue;
    if (ends_with(tensor.source.file, ".safetensors")) return;
    order.emplace(names[i].front(), order.size());
  }
  for (ModelView& view : models_) {
    const bool known = std::all_of(view.tensors.begin(), view.tensors.end(),
                                   [&](const auto& tensor) { return order.contains(tensor.name); });
    if (view.module_order || !known) continue;
    std::sort(view.tensors.begin(), view.tensors.end(),
              [&](const auto& a, const auto& b) { return order[a.name] < order[b.name]; });
    view.module_order = true;
  }
}

// What an optimizer lists may be no parameter of the model: partitioned ones list a flat tensor a
// group.
bool Namer::holds_model_shapes(const ClaimedComponent& optimizer,
                               const OptimizerNames& names) const {
  std::set<std::vector<std::int64_t>> shapes;
  for (const ModelView& view : models_)
    for (const auto& tensor : view.tensors) shapes.insert(tensor.shape);
  for (std::size_t i = 0; i < optimizer.leaves.size(); ++i) {
    const Leaf& moment = leaf(optimizer.leaves[i]);
    if (names.leaves[i].role != Role::moment || moment.kind != FieldKind::tensor) continue;
    if (!shapes.contains(moment.shape)) return false;
  }
  return true;
}

void Namer::name_optimizer(const ClaimedComponent& component) {
  const OptimizerNames names = optimizer_names(component, tree_, models_);
  const std::string fewer =
      optimizers_ == 1 && names.listed > 0 && names.listed < names.model_parameters &&
              holds_model_shapes(component, names)
          ? std::to_string(names.listed) + " of " + std::to_string(names.model_parameters)
          : std::string{};
  for (std::size_t i = 0; i < component.leaves.size(); ++i) {
    const OptimizerLeafName& name = names.leaves[i];
    set(component, component.leaves[i], name.parts, name.role);
    auto& traits = named_[component.leaves[i].leaf].traits;
    if (name.bookkeeping) traits["declared"] = "order";
    if (name.bookkeeping && !fewer.empty()) traits["lists"] = fewer;
    if (name.place.empty()) continue;
    std::vector<std::string> place{component_text(component)};
    place.insert(place.end(), name.place.begin(), name.place.end());
    traits["place"] = FieldPath::of(place).text();
    if (name.parts != name.place && !names.how.empty()) traits["named_by"] = names.how;
    if (name.parts == name.place && !names.why_not.empty()) traits["by_index"] = names.why_not;
  }
}

Role Namer::role_of(const ClaimedComponent& component, const ClaimedLeaf& claimed,
                    const std::vector<std::string>& parts) const {
  const std::string key = parts.empty() ? std::string{} : parts.back();
  switch (component.kind) {
    case Kind::lr_scheduler:
      return Role::schedule;
    case Kind::grad_scaler:
      return Role::scaler;
    case Kind::rng:
      return Role::rng;
    case Kind::ema:
      return leaf(claimed).kind == FieldKind::tensor && !leaf(claimed).shape.empty()
                 ? Role::average
                 : counter_role(key).value_or(key == "n_averaged" ? Role::step_counter
                                                                  : Role::average);
    case Kind::gradients:
      return Role::gradient;
    case Kind::dataloader: {
      const bool stream = leaf(claimed).dtype == Dtype::uint8 && leaf(claimed).shape == Shape{5056};
      return stream ? Role::rng : Role::cursor;
    }
    case Kind::loop:
      return counter_role(key).value_or(Role::other);
    default:
      return Role::other;
  }
}

void Namer::name_other(const ClaimedComponent& component) {
  const bool files = tree_.files().size() > 1;
  const bool average = component.kind == Kind::ema;
  const auto names =
      average ? average_names(component, tree_) : std::vector<std::vector<std::string>>{};
  for (std::size_t i = 0; i < component.leaves.size(); ++i) {
    const ClaimedLeaf& claimed = component.leaves[i];
    std::vector<std::string> parts = average ? names[i] : claimed.parts;
    if (component.kind == Kind::extra && (files || parts.empty())) {
      parts.insert(parts.begin(), std::string(stem_of(leaf(claimed).source.file)));
    }
    set(component, claimed, parts, role_of(component, claimed, parts));
  }
}

StateEntry entry_of(Leaf&& leaf, Named&& named) {
  StateEntry entry;
  Field& field = entry.field;
  field.path = FieldPath::of(named.parts);
  field.role = named.role;
  field.kind = leaf.kind;
  field.dtype = leaf.dtype;
  field.shape = std::move(leaf.shape);
  field.bytes = leaf.bytes ? leaf.bytes->size() : 0;
  if (leaf.kind == FieldKind::value) field.value = std::move(leaf.value);
  if (leaf.kind == FieldKind::tensor && leaf.bytes)
    field.value = scalar_value(field.dtype, field.shape, *leaf.bytes);
  field.class_name = std::move(leaf.class_name);
  field.layout = std::move(leaf.layout);
  field.source = std::move(leaf.source);
  field.traits = std::move(named.traits);
  entry.bytes = std::move(leaf.bytes);
  return entry;
}

/// Takes out the leaves that carry their own paths: they are named as they say, and take no part in
/// finding out what the others are.
std::vector<Leaf> take_own(Document& document) {
  const auto middle = std::stable_partition(document.leaves.begin(), document.leaves.end(),
                                            [](const Leaf& leaf) { return leaf.own_path.empty(); });
  std::vector<Leaf> own(std::make_move_iterator(middle),
                        std::make_move_iterator(document.leaves.end()));
  document.leaves.erase(middle, document.leaves.end());
  return own;
}

Named named_by_itself(const Leaf& leaf) {
  Named named{leaf.own_path.parts(), leaf.own_role, {}};
  if (leaf.own_rank) named.traits["rank"] = std::to_string(*leaf.own_rank);
  return named;
}

}  // namespace

StateTree name_document(Document&& document) {
  std::vector<Leaf> own = take_own(document);
  std::vector<Named> named;
  {
    const KeyTree tree(document);
    named = Namer(tree).run();
  }
  StateTree state;
  std::map<std::string, int> copies;  // of a path: other ranks' and other files'
  for (Leaf& leaf : own) {
    Named names = named_by_itself(leaf);
    StateEntry entry = entry_of(std::move(leaf), std::move(names));
    ++copies[state.add(std::move(entry)).field.path.text()];
  }
  for (std::size_t i = 0; i < document.leaves.size(); ++i) {
    StateEntry entry = entry_of(std::move(document.leaves[i]), std::move(named[i]));
    FieldPath& path = entry.field.path;
    const int copy = ++copies[path.text()];
    if (copy > 1) path = FieldPath(path.text() + "#" + std::to_string(copy));
    state.add(std::move(entry));
  }
  return state;
}

}  // namespace samestep
