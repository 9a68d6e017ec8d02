#include "checkpoint/naming/claims.h"

#include <algorithm>
#include <set>

#include "checkpoint/naming/component_groups.h"
#include "checkpoint/naming/ranks.h"
#include "checkpoint/naming/recognise.h"
#include "checkpoint/naming/rng_streams.h"

namespace samestep {
namespace {

using Kind = ComponentKind;
using Group = ComponentGroup;

// A node under which all leaves belong to one group, unless something inside is recognised as
// something else.
struct Claim {
  Kind kind;
  const KeyNode* root;
  Claim* outer = nullptr;
  Group* group = nullptr;
  bool by_content = false;  ///< nothing inside is looked at again
  bool adopted = false;     ///< an inner claim of the same kind has joined already
};

// What the node's own name says; of a file, its stem.
std::optional<Kind> named_kind(const KeyNode& node) {
  if (node.parent != nullptr) return kind_by_name(node.text());
  const std::string_view stem = stem_of(node.text());
  return stem.empty() || stem.front() == '.' ? std::nullopt : kind_by_name(stem);
}

// Which kinds a name may open inside a claim that a name opened.
bool may_open_inside(Kind outer, Kind inner) {
  switch (outer) {
    case Kind::loop:
      return inner == Kind::dataloader || inner == Kind::rng || inner == Kind::ema ||
             inner == Kind::config;
    case Kind::optimizer:
      return inner == Kind::grad_scaler || inner == Kind::optimizer;
    case Kind::extra:
      return inner == Kind::ema;
    default:
      return false;
  }
}

class Walker {
 public:
  explicit Walker(const KeyTree& tree) : tree_(tree) {}

  std::vector<ClaimedComponent> run() {
    for (const auto& file : tree_.files()) visit(*file, nullptr);
    for (const std::size_t leaf : tree_.too_deep()) add_too_deep(leaf);
    return groups_.take();
  }

 private:
  void visit(const KeyNode& node, Claim* claim) {
    if (claim != nullptr && claim->by_content) return take_all(node, *claim);
    if (take_randomness(node, claim)) return;
    if (node.parent == nullptr && take_swapped_average(node)) return;
    if (take_by_content(node, claim) || take_by_name(node, claim)) return;
    if (claim == nullptr) take_loose_tensors(node);
    take_leaf(node, claim);
    visit_children(node, claim);
  }

  void visit_children(const KeyNode& node, Claim* claim) {
    for (const auto& child : node.children) {
      if (!taken_.contains(child.get())) visit(*child, claim);
    }
  }

  std::optional<Kind> kind_by_content(const KeyNode& node, const Claim* outer) const;
  bool take_by_content(const KeyNode& node, Claim* outer);
  std::optional<Kind> kind_by_name_at(const KeyNode& node, const Claim* outer) const;
  bool take_by_name(const KeyNode& node, Claim* outer);
  bool take_randomness(const KeyNode& node, Claim* claim);
  void add_stream_parts(Group& group, const KeyNode& node, const KeyNode& state, RngShape shape,
                        std::size_t position, const RngStream& stream);
  bool take_swapped_average(const KeyNode& file);
  void take_loose_tensors(const KeyNode& node);
  void take_leaf(const KeyNode& node, Claim* claim);
  void take_all(const KeyNode& node, Claim& claim);
  void add(Group& group, const KeyNode& node, std::vector<std::string> parts,
           std::optional<int> rank);
  void add_too_deep(std::size_t leaf);
  Group& group_for(Claim& claim);

  const KeyTree& tree_;
  ComponentGroups groups_;
  std::set<const KeyNode*> taken_;
  std::set<std::pair<const KeyNode*, std::string>> global_streams_;  // by file
};

Group& Walker::group_for(Claim& claim) {
  if (claim.group != nullptr) return *claim.group;
  Claim* const outer = claim.outer;
  const bool same_kind = outer != nullptr && outer->kind == claim.kind;
  if (same_kind && (!outer->adopted || rank_of(*claim.root))) {
    outer->adopted = true;
    claim.group = &group_for(*outer);
  } else {
    claim.group = &groups_.find_or_make(claim.kind, shared_name(*claim.root), *claim.root);
  }
  return *claim.group;
}

void Walker::add(Group& group, const KeyNode& node, std::vector<std::string> parts,
                 std::optional<int> rank) {
  group.component.leaves.push_back({*node.leaf, &node, std::move(parts), rank});
}

void Walker::take_all(const KeyNode& node, Claim& claim) {
  if (node.leaf) add(group_for(claim), node, keys_below(*claim.root, node), rank_of(node));
  for (const auto& child : node.children) take_all(*child, claim);
}

std::optional<Kind> Walker::kind_by_content(const KeyNode& node, const Claim* outer) const {
  const auto named = named_kind(node);
  const bool inside = outer != nullptr;
  // Of averages and gradients only the name tells: their tensors look like a model's.
  if (named == Kind::ema || (inside && (outer->kind == Kind::ema || outer->kind == Kind::config ||
                                        outer->kind == Kind::gradients))) {
    return std::nullopt;
  }
  if (looks_like_optimizer(node) || (named == Kind::optimizer && looks_like_slots(node))) {
    return Kind::optimizer;
  }
  if (looks_like_lr_scheduler(node)) return Kind::lr_scheduler;
  if (looks_like_grad_scaler(node)) return Kind::grad_scaler;
  if (looks_like_loader_state(node)) return Kind::dataloader;
  if (looks_like_average(node)) return Kind::ema;
  if (looks_like_module_object(node)) return Kind::model;
  if (inside && outer->kind == Kind::loop && looks_like_model(tree_, node, false)) {
    return Kind::model;
  }
  const bool of_other_use = named && *named != Kind::loop && *named != Kind::grad_scaler;
  if (inside || of_other_use) return std::nullopt;
  const bool model = looks_like_model(tree_, node, false) || looks_like_nested_model(tree_, node);
  return model ? std::optional(Kind::model) : std::nullopt;
}

bool Walker::take_by_content(const KeyNode& node, Claim* outer) {
  if (!node.container()) return false;
  const auto kind = kind_by_content(node, outer);
  if (!kind) return false;
  Claim claim{*kind, &node, outer};
  claim.by_content = true;
  ClaimedComponent& component = group_for(claim).component;
  if (*kind == Kind::model) {
    component.module_object = component.module_object || looks_like_module_object(node);
    component.nested = component.nested || looks_like_nested_model(tree_, node);
  }
  take_all(node, claim);
  return true;
}

std::optional<Kind> Walker::kind_by_name_at(const KeyNode& node, const Claim* outer) const {
  const bool file = node.parent == nullptr, alone = tree_.files().size() == 1;
  const auto kind = named_kind(node);
  const bool average = kind == Kind::ema && node.tensors > 1;
  // A file's stem says what its root holds only in a checkpoint of several files.
  const bool told = kind && *kind != Kind::rng && (!file || !alone || average);
  if (outer == nullptr) {
    if (told) return kind;
    const bool random = speaks_of_randomness(file ? stem_of(node.text()) : node.text());
    if ((!file || !alone) && !random && looks_like_loop(tree_, node)) return Kind::loop;
    return std::nullopt;
  }
  if (!told || !may_open_inside(outer->kind, *kind)) return std::nullopt;
  if (outer->kind == Kind::extra && node.tensors < 2) return std::nullopt;
  return kind;
}

bool Walker::take_by_name(const KeyNode& node, Claim* outer) {
  if (!node.container()) return false;
  const auto kind = kind_by_name_at(node, outer);
  if (!kind) return false;
  Claim claim{*kind, &node, outer};
  if (*kind == Kind::config || *kind == Kind::extra) claim.root = &file_of(node);
  claim.by_content = *kind == Kind::config || *kind == Kind::ema || *kind == Kind::gradients;
  if (claim.by_content) {
    take_all(node, claim);
  } else {
    take_leaf(node, &claim);
    visit_children(node, &claim);
  }
  return true;
}

bool Walker::take_randomness(const KeyNode& node, Claim* claim) {
  const RngShape shape = rng_shape(tree_, node, true);
  if (shape == RngShape::none || (claim != nullptr && claim->kind == Kind::config)) return false;
  if (shape == RngShape::torch_cuda && !speaks_of_randomness(node)) return false;
  RngStream stream = rng_stream(node, shape);
  const std::string stream_of_rank =
      stream.parts.front() + "/" + std::to_string(stream.rank.value_or(-1));
  if (stream.global && !global_streams_.emplace(&file_of(node), stream_of_rank).second) {
    stream = private_stream(node);
  }
  Claim streams{Kind::rng, &node};
  Group& group = group_for(streams);
  if (node.leaf) add(group, node, stream.parts, stream.rank);
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    add_stream_parts(group, *node.children[i], node, shape, i, stream);
  }
  return true;
}

void Walker::add_stream_parts(Group& group, const KeyNode& node, const KeyNode& state,
                              RngShape shape, std::size_t position, const RngStream& stream) {
  if (node.leaf) {
    std::vector<std::string> parts = stream.parts;
    const auto below = stream_parts(shape, position, keys_below(state, node));
    parts.insert(parts.end(), below.begin(), below.end());
    add(group, node, std::move(parts), stream.rank);
  }
  for (const auto& child : node.children) {
    add_stream_parts(group, *child, state, shape, position, stream);
  }
}

// Lightning's weight averaging keeps the averaged weights where the model's are expected, and the
// model's beside them.
bool Walker::take_swapped_average(const KeyNode& file) {
  const KeyNode* averaged = file.child("state_dict");
  const KeyNode* current = file.child("current_model_state");
  const KeyNode* bookkeeping = file.child("averaging_state");
  if (averaged == nullptr || current == nullptr || bookkeeping == nullptr) return false;
  Claim average{Kind::ema, averaged};
  Group& group = group_for(average);
  take_all(*averaged, average);
  Claim counters{Kind::ema, bookkeeping};
  counters.group = &group;
  take_all(*bookkeeping, counters);
  Claim model{Kind::model, current};
  take_all(*current, model);
  taken_.insert({averaged, current, bookkeeping});
  visit_children(file, nullptr);
  return true;
}

// Tensors of a module lying beside other parts of the checkpoint, and flat keys that begin with a
// component's name.
void Walker::take_loose_tensors(const KeyNode& node) {
  constexpr std::string_view kOptimizer = "optimizer.", kModel = "model.";
  const auto begins = [](const std::string& text, std::string_view prefix) {
    return text.compare(0, prefix.size(), prefix) == 0;
  };
  std::vector<const KeyNode*> model, optimizer;
  for (const auto& child : node.children) {
    if (taken_.contains(child.get()) || !child->leaf) continue;
    if (begins(child->text(), "optimizer.state.") ||
        begins(child->text(), "optimizer.param_groups.")) {
      optimizer.push_back(child.get());
    } else if (is_module_tensor(tree_, *child) && child->text().find('.') != std::string::npos) {
      model.push_back(child.get());
    }
  }
  const auto take = [&](Kind kind, std::string_view prefix,
                        const std::vector<const KeyNode*>& nodes, bool flat) {
    if (nodes.empty()) return;
    const bool strip = flat && std::all_of(nodes.begin(), nodes.end(), [&](const KeyNode* at) {
                         return begins(at->text(), prefix);
                       });
    Group& group =
        groups_.find_or_make(kind, std::string(prefix.substr(0, prefix.size() - 1)), node);
    for (const KeyNode* at : nodes) {
      add(group, *at, {strip ? at->text().substr(prefix.size()) : at->text()}, rank_of(*at));
      taken_.insert(at);
    }
  };
  take(Kind::model, kModel, model, !optimizer.empty());
  take(Kind::optimizer, kOptimizer, optimizer, true);
}

// All that its file holds: a bare value, or the one tensor that libtorch keeps under "0".
bool is_whole_file(const KeyNode& node) {
  if (node.parent == nullptr) return !node.container();
  const bool unnamed = node.key.kind != SourceKey::Kind::integer && node.text() == "0";
  return unnamed && node.parent->parent == nullptr && node.parent->children.size() == 1;
}

void Walker::take_leaf(const KeyNode& node, Claim* claim) {
  if (!node.leaf) return;
  const Leaf& leaf = *tree_.leaf(node);
  if (claim != nullptr)
    return add(group_for(*claim), node, keys_below(*claim->root, node), rank_of(node));
  const bool number =
      leaf.kind == FieldKind::value || (leaf.kind == FieldKind::tensor && leaf.shape.empty());
  const std::string file(stem_of(file_of(node).text()));
  const bool whole = is_whole_file(node);
  const bool counts = number && (whole || node.depth == 1) &&
                      counter_role(whole ? file : node.text()).has_value() &&
                      !speaks_of_randomness(file);
  Claim rest{counts ? Kind::loop : Kind::extra, &file_of(node)};
  add(group_for(rest), node, counts && whole ? std::vector{file} : keys_below(*rest.root, node),
      rank_of(node));
}

void Walker::add_too_deep(std::size_t leaf) {
  const auto& keys = tree_.document().leaves[leaf].source.keys;
  static const KeyNode kNowhere{};
  Group& extra = groups_.find_or_make(Kind::extra, "extra", kNowhere);
  std::vector<std::string> parts{keys.front().text, std::to_string(keys.size()) + " keys deep"};
  extra.component.leaves.push_back({leaf, nullptr, std::move(parts), std::nullopt});
}

}  // namespace

std::vector<ClaimedComponent> claim_components(const KeyTree& tree) { return Walker(tree).run(); }

}  // namespace samestep
