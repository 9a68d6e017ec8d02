// Vocabulary: the words by which trainers call the parts of their checkpoints. Data; what is done
// with it is elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/role.h"

namespace samestep {

/// The kinds of component (first part of a FieldPath), and `config` for launch arguments, which go
/// to `extra`.
enum class ComponentKind : unsigned char {
  model,
  optimizer,
  lr_scheduler,
  grad_scaler,
  rng,
  dataloader,
  ema,
  loop,
  gradients,
  extra,
  config,
};

/// As it is written in a FieldPath ("lr_scheduler"); config is "extra".
std::string_view to_string(ComponentKind kind) noexcept;

/// Lower-case words of an identifier: "lossScaler", "loss_scaler" and "loss-scaler" are {"loss",
/// "scaler"}. What follows an opening bracket or brace is dropped (a class name with the repr of
/// its arguments).
std::vector<std::string> words_of(std::string_view text);
bool has_word(const std::vector<std::string>& words, std::string_view word);

/// What a container (or a file, by its stem) of this name holds, where the name alone tells.
std::optional<ComponentKind> kind_by_name(std::string_view text);

/// A name that a training loop gives to a count of its own progress (step, epoch, samples_seen,
/// ...), and its role.
std::optional<Role> counter_role(std::string_view text);

/// Role of an optimizer slot by its name; of a tensor of a name that is not known: moment, of a
/// scalar: other.
Role slot_role(std::string_view slot, bool scalar);
/// A slot that some optimizer is known to keep per parameter.
bool is_known_slot(std::string_view slot);
/// A slot that has the shape of its parameter, element for element.
bool is_elementwise_slot(std::string_view slot);

/// Names under which modules keep buffers (last part of the dotted name).
bool is_buffer_name(std::string_view leaf);
/// Last part of a dotted name under which modules keep parameters or buffers (weight, bias,
/// running_mean, ...).
bool is_module_leaf_name(std::string_view leaf);

}  // namespace samestep
