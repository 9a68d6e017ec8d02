#include "capture/torch/module_probe.h"

#include <map>
#include <utility>

#include "capture/torch/module_walk.h"
#include "capture/torch/tensor_cell.h"

namespace samestep::libtorch {

namespace {

constexpr std::string_view kTraining = "training", kFrozen = "requires_grad";

/// "layers.0.training" is {"layers.0", "training"}.
std::pair<std::string, std::string> split_last(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

class ModuleProbe final : public Probe {
 public:
  ModuleProbe(std::string component, ::torch::nn::Module& module, Role role)
      : component_(std::move(component)), module_(module), role_(role) {}

  bool owns(const FieldPath& path) const override {
    const auto parts = path.parts();
    return parts.size() == 2 && parts[0] == component_ &&
           (find_tensor(module_, parts[1]) || is_flag(parts[1]));
  }

  std::vector<StateEntry> read() const override {
    std::vector<StateEntry> fields;
    for (const NamedModule& part : modules_of(module_)) {
      for (const NamedTensor& item : tensors_of(part)) read_tensor(item, fields);
      fields.push_back(
          value_entry(flag_place(part.below(std::string(kTraining))), part.module->is_training()));
    }
    return fields;
  }

  std::optional<std::string> refusal(const StateEntry& entry) const override {
    const std::string name = entry.field.path.parts()[1];
    if (const auto item = find_tensor(module_, name)) return tensor_refusal(item->tensor, entry);
    const bool held = entry.field.value && std::holds_alternative<bool>(*entry.field.value);
    return held ? std::nullopt : std::optional<std::string>("is no flag there");
  }

  // What a frozen parameter's flag says is its absence as well.
  bool can_erase(const FieldPath& path) const override {
    const auto [owner, flag] = split_last(path.leaf());
    return flag == kFrozen && is_flag(path.leaf());
  }

  void apply(const Change& change) override {
    for (const FieldPath& path : change.erased)
      find_tensor(module_, split_last(path.leaf()).first)->tensor.set_requires_grad(true);
    std::map<std::string, bool> training;
    for (const StateEntry* entry : change.written) {
      const std::string name = entry->field.path.parts()[1];
      const auto [owner, flag] = split_last(name);
      if (const auto item = find_tensor(module_, name))
        write_tensor(item->tensor, *entry);
      else if (flag == kTraining)
        training[owner] = std::get<bool>(*entry->field.value);
      else
        find_tensor(module_, owner)->tensor.set_requires_grad(std::get<bool>(*entry->field.value));
    }
    write_training(training);
  }

 private:
  bool is_flag(const std::string& name) const {
    const auto [owner, flag] = split_last(name);
    if (flag == kTraining) return find_module(module_, owner) != nullptr;
    const auto item = find_tensor(module_, owner);
    return flag == kFrozen && item && item->is_parameter;
  }

  FieldPlace flag_place(std::string name) const {
    return {{component_, std::move(name)}, Role::other, {{"declared", "attribute"}}};
  }

  void read_tensor(const NamedTensor& item, std::vector<StateEntry>& fields) const {
    const Role own = item.is_parameter ? Role::parameter : Role::buffer;
    const FieldPlace place{{component_, item.name},
                           role_ == Role::other ? own : role_,
                           {{"declared", item.is_parameter ? "parameter" : "buffer"}}};
    fields.push_back(tensor_entry(place, item.tensor));
    if (item.is_parameter && role_ == Role::other && !item.tensor.requires_grad())
      fields.push_back(value_entry(flag_place(item.name + "." + std::string(kFrozen)), false));
  }

  // train() reaches all children: what each shall be is set from the root down.
  void write_training(const std::map<std::string, bool>& written) {
    const auto parts = modules_of(module_);
    std::vector<bool> wanted;
    bool differs = false;
    for (const NamedModule& part : parts) {
      const auto found = written.find(part.name);
      const bool now = part.module->is_training();
      wanted.push_back(found == written.end() ? now : found->second);
      differs = differs || wanted.back() != now;
    }
    for (std::size_t i = 0; differs && i < parts.size(); ++i) parts[i].module->train(wanted[i]);
  }

  std::string component_;
  ::torch::nn::Module& module_;
  Role role_;
};

class GradientProbe final : public Probe {
 public:
  GradientProbe(std::string component, ::torch::nn::Module& module)
      : component_(std::move(component)), module_(module) {}

  bool owns(const FieldPath& path) const override {
    const auto parts = path.parts();
    return parts.size() == 2 && parts[0] == component_ && find_parameter(parts[1]);
  }

  std::vector<StateEntry> read() const override {
    std::vector<StateEntry> fields;
    for (const NamedModule& part : modules_of(module_))
      for (const NamedTensor& item : tensors_of(part))
        if (item.is_parameter && item.tensor.grad().defined())
          fields.push_back(
              tensor_entry({{component_, item.name}, Role::gradient, {{"declared", "gradient"}}},
                           item.tensor.grad()));
    return fields;
  }

  std::optional<std::string> refusal(const StateEntry& entry) const override {
    return tensor_refusal(find_parameter(entry.field.path.parts()[1])->tensor, entry);
  }

  bool can_erase(const FieldPath& path) const override {
    return find_parameter(path.parts()[1]).has_value();
  }

  void apply(const Change& change) override {
    for (const FieldPath& path : change.erased)
      find_parameter(path.parts()[1])->tensor.mutable_grad() = at::Tensor();
    for (const StateEntry* entry : change.written) {
      auto item = *find_parameter(entry->field.path.parts()[1]);
      if (!item.tensor.grad().defined())
        item.tensor.mutable_grad() = tensor_from(*entry).to(item.tensor.device());
      else
        write_tensor(item.tensor.grad(), *entry);
    }
  }

 private:
  std::optional<NamedTensor> find_parameter(const std::string& name) const {
    const auto item = find_tensor(module_, name);
    return item && item->is_parameter ? item : std::nullopt;
  }

  std::string component_;
  ::torch::nn::Module& module_;
};

}  // namespace

std::unique_ptr<Probe> module_probe(std::string component, ::torch::nn::Module& module, Role role) {
  return std::make_unique<ModuleProbe>(std::move(component), module, role);
}

std::unique_ptr<Probe> gradient_probe(std::string component, ::torch::nn::Module& module) {
  return std::make_unique<GradientProbe>(std::move(component), module);
}

}  // namespace samestep::libtorch
