// Recognise: what a container of a foreign document is, by its content and shape (names of keys
// inside it count as shape; its own name does not).
#pragma once

#include "checkpoint/naming/key_tree.h"

namespace samestep {

/// {state, param_groups}, also flattened ("state.<name>.exp_avg"), and a dict of dicts of known
/// slots.
bool looks_like_optimizer(const KeyNode& node);
/// One dict of optimizer slots per parameter, without param_groups.
bool looks_like_slots(const KeyNode& node);
bool looks_like_lr_scheduler(const KeyNode& node);
bool looks_like_grad_scaler(const KeyNode& node);
/// The state of a stateful loader (torchdata), with or without workers.
bool looks_like_loader_state(const KeyNode& node);
/// An average with its own bookkeeping (n_averaged, shadow_params).
bool looks_like_average(const KeyNode& node);
/// A pickled module: _parameters, _buffers, _modules.
bool looks_like_module_object(const KeyNode& node);
/// A dict of tensors with module-like names; `named_so`: its own name says model, so any string
/// names will do.
bool looks_like_model(const KeyTree& tree, const KeyNode& node, bool named_so);
/// Nested dicts (submodules as attributes) that end in tensors with module-like names.
bool looks_like_nested_model(const KeyTree& tree, const KeyNode& node);
/// A small dict of plain numbers one of which counts progress.
bool looks_like_loop(const KeyTree& tree, const KeyNode& node);

/// A tensor child whose name is that of a module's tensor ("layers.0.weight", "weight").
bool is_module_tensor(const KeyTree& tree, const KeyNode& node);

enum class RngShape : unsigned char {
  none,
  torch_cpu,
  torch_cuda,
  python,
  numpy,            ///< get_state(): a tuple
  numpy_dict,       ///< get_state(legacy=False): the same as a dict
  numpy_generator,  ///< a bit generator's state
};
/// The state of a random stream: uint8[5056], uint8[16], (3, 625 ints, gauss), ("MT19937",
/// uint32[624], ...), or a NumPy bit generator's dict. `named_so`: its name speaks of random state
/// (needed for uint8[16]).
RngShape rng_shape(const KeyTree& tree, const KeyNode& node, bool named_so);

}  // namespace samestep
