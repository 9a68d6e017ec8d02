#include "capture/torch/optimizer_probe.h"

#include <map>
#include <set>
#include <utility>

#include "capture/torch/optimizer_cells.h"
#include "capture/torch/parameter_names.h"
#include "capture/torch/tensor_cell.h"
#include "checkpoint/naming/vocabulary.h"
#include "schemas/check.h"

namespace samestep::libtorch {
namespace {

using ::torch::optim::Optimizer;
using ::torch::optim::OptimizerParamState;

/// A parameter of the optimizer: its name in paths, its number, and its group.
struct Slot {
  std::string name;
  std::size_t index = 0, group = 0;
  at::Tensor parameter;
};

class OptimizerProbe final : public Probe {
 public:
  OptimizerProbe(std::string component, Optimizer& optimizer, const ParameterNames& names,
                 MakeState make_state)
      : component_(std::move(component)),
        optimizer_(optimizer),
        names_(names),
        make_state_(std::move(make_state)) {}

  bool owns(const FieldPath& path) const override { return path.component() == component_; }

  std::vector<StateEntry> read() const override {
    std::vector<StateEntry> fields;
    const auto found = slots();
    by_name_ = slots_by_name(found);
    for (const Slot& slot : found) {
      OptimizerParamState* state = state_of(slot);
      if (!state) continue;
      const std::size_t first = fields.size();
      cell_of_state(*state)->read(place({component_, "state", slot.name}, Role::other), fields);
      for (std::size_t i = first; i < fields.size(); ++i) describe(slot, fields[i].field);
    }
    auto& groups = optimizer_.param_groups();
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (groups[i].has_options())
        cell_of_options(groups[i].options())
            ->read(place({component_, "param_groups", std::to_string(i)}, Role::hyperparameter),
                   fields);
    return fields;
  }

  std::optional<std::string> refusal(const StateEntry& entry) const override {
    const auto parts = entry.field.path.parts();
    const Cell::Rest rest(parts);
    if (parts.size() > 3 && parts[1] == "param_groups") {
      const auto cell = group_cell(parts[2]);
      return cell ? cell->refusal(rest.subspan(3), entry) : "the optimizer has no such group";
    }
    if (parts.size() < 4 || parts[1] != "state") return "an optimizer has no such field";
    const auto slot = find_slot(parts[2]);
    if (!slot) return "the optimizer has no parameter of this name";
    if (auto why = shape_refusal(*slot, entry)) return why;
    if (OptimizerParamState* state = state_of(*slot))
      return cell_of_state(*state)->refusal(rest.subspan(3), entry);
    const auto fresh = make_state(*slot);
    if (!fresh)
      return "no state can be made for an optimizer of this class: watch it with a make_state";
    return cell_of_state(*fresh)->refusal(rest.subspan(3), entry);
  }

  bool can_erase(const FieldPath& path) const override {
    const auto parts = path.parts();
    if (parts.size() < 4) return false;
    // What cannot be taken away by itself goes with the whole state of its parameter.
    if (parts[1] == "state") return find_slot(parts[2]) != nullptr;
    const auto cell = group_cell(parts[2]);
    return cell && cell->can_erase(Cell::Rest(parts).subspan(3));
  }

  void apply(const Change& change) override {
    by_name_ = slots_by_name(slots());
    erase(change);
    for (const StateEntry* entry : change.written) {
      const auto parts = entry->field.path.parts();
      const Cell::Rest rest = Cell::Rest(parts).subspan(3);
      if (parts[1] == "param_groups") {
        group_cell(parts[2])->write(rest, *entry);
        continue;
      }
      const Slot& slot = by_name_.at(parts[2]);
      if (!state_of(slot)) optimizer_.state()[key_of(slot)] = make_state(slot);
      cell_of_state(*state_of(slot))->write(rest, *entry);
    }
  }

 private:
  static FieldPlace place(std::vector<std::string> parts, Role role) {
    return {std::move(parts), role, {{"declared", "state_dict"}}};
  }

  std::vector<Slot> slots() const {
    std::vector<at::Tensor> parameters;
    std::vector<Slot> found;
    const auto& groups = optimizer_.param_groups();
    for (std::size_t group = 0; group < groups.size(); ++group)
      for (const at::Tensor& parameter : groups[group].params()) {
        found.push_back({"", found.size(), group, parameter});
        parameters.push_back(parameter);
      }
    const auto names = names_.slot_names(parameters);
    for (Slot& slot : found) slot.name = names[slot.index];
    return found;
  }

  static std::map<std::string, Slot> slots_by_name(const std::vector<Slot>& slots) {
    std::map<std::string, Slot> known;
    for (const Slot& slot : slots) known.emplace(slot.name, slot);
    return known;
  }

  const Slot* find_slot(const std::string& name) const {
    if (by_name_.empty()) by_name_ = slots_by_name(slots());
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
  }

  static void* key_of(const Slot& slot) { return slot.parameter.unsafeGetTensorImpl(); }

  OptimizerParamState* state_of(const Slot& slot) const {
    const auto found = optimizer_.state().find(key_of(slot));
    return found == optimizer_.state().end() ? nullptr : found->second.get();
  }

  std::unique_ptr<OptimizerParamState> make_state(const Slot& slot) const {
    if (make_state_) return make_state_();
    const auto& group = optimizer_.param_groups()[slot.group];
    if (group.has_options())
      if (auto state = new_state(group.options())) return state;
    for (const auto& [key, state] : optimizer_.state())
      if (state) return state->clone();
    return nullptr;
  }

  std::unique_ptr<Cell> group_cell(const std::string& number) const {
    auto& groups = optimizer_.param_groups();
    const auto index = index_of(number);
    if (!index || *index >= groups.size() || !groups[*index].has_options()) return nullptr;
    return cell_of_options(groups[*index].options());
  }

  /// A slot that has its parameter's shape must have it.
  static std::optional<std::string> shape_refusal(const Slot& slot, const StateEntry& entry) {
    const auto parts = entry.field.path.parts();
    if (parts.size() != 4 || !is_elementwise_slot(parts[3])) return std::nullopt;
    if (entry.field.kind != FieldKind::tensor) return std::nullopt;
    if (slot.parameter.sizes().equals(entry.field.shape)) return std::nullopt;
    return "is of another shape than its parameter";
  }

  void describe(const Slot& slot, Field& field) const {
    auto parts = field.path.parts();
    const bool tensor = field.kind == FieldKind::tensor;
    field.role = slot_role(parts[3], !tensor || field.shape.empty());
    parts[2] = std::to_string(slot.index);
    field.traits["place"] = FieldPath::of(parts).text();
  }

  void erase(const Change& change) {
    std::set<std::string> kept;
    for (const StateEntry* entry : change.written) {
      const auto parts = entry->field.path.parts();
      if (parts[1] == "state") kept.insert(parts[2]);
    }
    for (const FieldPath& path : change.erased) {
      const auto parts = path.parts();
      const Cell::Rest rest = Cell::Rest(parts).subspan(3);
      if (parts[1] == "param_groups") {
        group_cell(parts[2])->erase(rest);
        continue;
      }
      const Slot& slot = by_name_.at(parts[2]);
      OptimizerParamState* state = state_of(slot);
      if (!state) continue;
      const auto cell = cell_of_state(*state);
      if (kept.contains(parts[2]) && cell->can_erase(rest))
        cell->erase(rest);
      else if (!kept.contains(parts[2]))
        optimizer_.state().erase(key_of(slot));
    }
  }

  std::string component_;
  Optimizer& optimizer_;
  const ParameterNames& names_;
  MakeState make_state_;
  mutable std::map<std::string, Slot> by_name_;  // as the last read() saw them
};

}  // namespace

std::unique_ptr<Probe> optimizer_probe(std::string component, Optimizer& optimizer,
                                       const ParameterNames& names, MakeState make_state) {
  return std::make_unique<OptimizerProbe>(std::move(component), optimizer, names,
                                          std::move(make_state));
}

}  // namespace samestep::libtorch
