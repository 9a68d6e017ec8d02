#include "checkpoint/naming/vocabulary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace samestep {
namespace {

using Kind = ComponentKind;

constexpr std::size_t kNameBytesMax = 256;  // a longer key is no name that anybody gave
using Words = std::pair<std::string_view, Kind>;

// In order of precedence: "model_ema" is an average, "training_args" are arguments, "train_loader"
// is a loader.
constexpr std::array kContainerWords{
    Words{"args", Kind::config},
    Words{"argv", Kind::config},
    Words{"config", Kind::config},
    Words{"cfg", Kind::config},
    Words{"hparams", Kind::config},
    Words{"hyper", Kind::config},
    Words{"hyperparameters", Kind::config},
    Words{"settings", Kind::config},
    Words{"options", Kind::config},
    Words{"metadata", Kind::config},
    Words{"callbacks", Kind::extra},
    Words{"scaler", Kind::grad_scaler},
    Words{"amp", Kind::grad_scaler},
    Words{"scheduler", Kind::lr_scheduler},
    Words{"schedulers", Kind::lr_scheduler},
    Words{"sched", Kind::lr_scheduler},
    Words{"ema", Kind::ema},
    Words{"swa", Kind::ema},
    Words{"shadow", Kind::ema},
    Words{"averaged", Kind::ema},
    Words{"averaging", Kind::ema},
    Words{"average", Kind::ema},
    Words{"polyak", Kind::ema},
    Words{"optimizer", Kind::optimizer},
    Words{"optimizers", Kind::optimizer},
    Words{"optim", Kind::optimizer},
    Words{"opt", Kind::optimizer},
    Words{"rng", Kind::rng},
    Words{"rngs", Kind::rng},
    Words{"random", Kind::rng},
    Words{"generators", Kind::rng},
    Words{"loader", Kind::dataloader},
    Words{"loaders", Kind::dataloader},
    Words{"dataloader", Kind::dataloader},
    Words{"dataloaders", Kind::dataloader},
    Words{"sampler", Kind::dataloader},
    Words{"samplers", Kind::dataloader},
    Words{"dl", Kind::dataloader},
    Words{"data", Kind::dataloader},
    Words{"dataset", Kind::dataloader},
    Words{"gradients", Kind::gradients},
    Words{"grads", Kind::gradients},
    Words{"grad", Kind::gradients},
    Words{"loop", Kind::loop},
    Words{"loops", Kind::loop},
    Words{"progress", Kind::loop},
    Words{"trainer", Kind::loop},
    Words{"train", Kind::loop},
    Words{"training", Kind::loop},
    Words{"counters", Kind::loop},
    Words{"timestamp", Kind::loop},
};

using Counter = std::pair<std::string_view, Role>;
constexpr std::array kCounters{
    Counter{"step", Role::step_counter},
    Counter{"global_step", Role::step_counter},
    Counter{"global_steps", Role::step_counter},
    Counter{"train_step", Role::step_counter},
    Counter{"optimizer_step", Role::step_counter},
    Counter{"optimizer_steps", Role::step_counter},
    Counter{"update", Role::step_counter},
    Counter{"updates", Role::step_counter},
    Counter{"num_updates", Role::step_counter},
    Counter{"iteration", Role::step_counter},
    Counter{"iterations", Role::step_counter},
    Counter{"iter", Role::step_counter},
    Counter{"iter_num", Role::step_counter},
    Counter{"it", Role::step_counter},
    Counter{"completed", Role::step_counter},
    Counter{"skipped_steps", Role::step_counter},
    Counter{"epoch", Role::cursor},
    Counter{"current_epoch", Role::cursor},
    Counter{"batch", Role::cursor},
    Counter{"batches", Role::cursor},
    Counter{"batch_idx", Role::cursor},
    Counter{"in_epoch", Role::cursor},
    Counter{"micro_step", Role::cursor},
    Counter{"micro_steps", Role::cursor},
    Counter{"seen", Role::cursor},
    Counter{"samples", Role::cursor},
    Counter{"samples_seen", Role::cursor},
    Counter{"global_samples", Role::cursor},
    Counter{"consumed_samples", Role::cursor},
    Counter{"consumed_train_samples", Role::cursor},
    Counter{"consumed_valid_samples", Role::cursor},
    Counter{"tokens_seen", Role::cursor},
    Counter{"ntokens_seen", Role::cursor},
    Counter{"num_input_tokens_seen", Role::cursor},
    Counter{"position", Role::cursor},
    Counter{"cursor", Role::cursor},
    Counter{"offset", Role::cursor},
};

struct Slot {
  std::string_view name;
  Role role;
  bool elementwise;
};
// torch.optim 2.13 and the optimizers of other libraries; schemas/contracts says which optimizer
// needs which.
constexpr std::array kSlots{
    Slot{"step", Role::step_counter, false},
    Slot{"exp_avg", Role::moment, true},
    Slot{"exp_avg_sq", Role::moment, true},
    Slot{"max_exp_avg_sq", Role::moment, true},
    Slot{"exp_avg_diff", Role::moment, true},
    Slot{"exp_inf", Role::moment, true},
    Slot{"momentum_buffer", Role::moment, true},
    Slot{"square_avg", Role::moment, true},
    Slot{"grad_avg", Role::moment, true},
    Slot{"acc_delta", Role::moment, true},
    Slot{"sum", Role::moment, true},
    Slot{"prev", Role::moment, true},
    Slot{"step_size", Role::moment, true},
    Slot{"ax", Role::moment, true},
    Slot{"variance", Role::moment, true},
    Slot{"row_var", Role::moment, false},
    Slot{"col_var", Role::moment, false},
    Slot{"exp_avg_sq_row", Role::moment, false},
    Slot{"exp_avg_sq_col", Role::moment, false},
    Slot{"RMS", Role::moment, false},
    Slot{"mu_product", Role::moment, false},
    Slot{"mu", Role::moment, false},
    Slot{"eta", Role::moment, false},
    Slot{"master_param", Role::parameter, true},
    Slot{"fp32_param", Role::parameter, true},
    Slot{"z", Role::parameter, true},
    Slot{"state1", Role::moment, false},
    Slot{"state2", Role::moment, false},
    Slot{"n_iter", Role::step_counter, false},
    Slot{"func_evals", Role::step_counter, false},
    Slot{"d", Role::moment, false},
    Slot{"t", Role::moment, false},
    Slot{"old_dirs", Role::moment, false},
    Slot{"old_stps", Role::moment, false},
    Slot{"ro", Role::moment, false},
    Slot{"al", Role::moment, false},
    Slot{"H_diag", Role::moment, false},
    Slot{"prev_flat_grad", Role::moment, false},
    Slot{"prev_loss", Role::moment, false},
};

constexpr std::array<std::string_view, 23> kBuffers{"running_mean",
                                                    "running_var",
                                                    "num_batches_tracked",
                                                    "_extra_state",
                                                    "inv_freq",
                                                    "position_ids",
                                                    "token_type_ids",
                                                    "masked_bias",
                                                    "weight_mask",
                                                    "bias_mask",
                                                    "_u",
                                                    "_v",
                                                    "min_val",
                                                    "max_val",
                                                    "zero_point",
                                                    "attn_mask",
                                                    "causal_mask",
                                                    "scale_inv",
                                                    "fake_quant_enabled",
                                                    "observer_enabled",
                                                    "amax_history",
                                                    "cos_cached",
                                                    "sin_cached"};

constexpr std::array<std::string_view, 12> kParameterNames{
    "weight",      "bias",           "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0",
    "weight_orig", "in_proj_weight", "in_proj_bias", "gamma",        "beta",       "original0"};

template <typename Array>
bool contains(const Array& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Slot* find_slot(std::string_view name) {
  const auto found = std::find_if(kSlots.begin(), kSlots.end(),
                                  [&](const Slot& slot) { return slot.name == name; });
  return found == kSlots.end() ? nullptr : &*found;
}

}  // namespace

std::string_view to_string(ComponentKind kind) noexcept {
  constexpr std::array<std::string_view, 11> kNames{
      "model", "optimizer", "lr_scheduler", "grad_scaler", "rng",  "dataloader",
      "ema",   "loop",      "gradients",    "extra",       "extra"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::string> words_of(std::string_view text) {
  text = text.substr(0, kNameBytesMax);
  text = text.substr(0, text.find_first_of("{[("));
  std::vector<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (std::isalpha(c) == 0) {
      flush();
      continue;
    }
    const bool upper = std::isupper(c) != 0;
    const bool after_lower = i > 0 && std::islower(static_cast<unsigned char>(text[i - 1])) != 0;
    const bool before_lower =
        i + 1 < text.size() && std::islower(static_cast<unsigned char>(text[i + 1])) != 0;
    if (upper && (after_lower || (before_lower && word.size() > 1))) flush();
    word += static_cast<char>(std::tolower(c));
  }
  flush();
  return words;
}

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<ComponentKind> kind_by_name(std::string_view text) {
  const std::vector<std::string> words = words_of(text);
  for (const auto& [word, kind] : kContainerWords) {
    if (has_word(words, word)) return kind;
  }
  return std::nullopt;
}

std::optional<Role> counter_role(std::string_view text) {
  for (const auto& [name, role] : kCounters) {
    if (name == text) return role;
  }
  return std::nullopt;
}

Role slot_role(std::string_view slot, bool scalar) {
  if (const Slot* known = find_slot(slot)) return known->role;
  return scalar ? Role::other : Role::moment;
}

bool is_known_slot(std::string_view slot) { return find_slot(slot) != nullptr; }

bool is_elementwise_slot(std::string_view slot) {
  const Slot* known = find_slot(slot);
  return known != nullptr && known->elementwise;
}

bool is_buffer_name(std::string_view leaf) { return contains(kBuffers, leaf); }

bool is_module_leaf_name(std::string_view leaf) {
  return contains(kParameterNames, leaf) || contains(kBuffers, leaf);
}

}  // namespace samestep
