// Grade: is a gap a fault that matters? Never cry wolf.
#pragma once

#include <span>
#include <string_view>

#include "resume_check/copies.h"

namespace samestep {

/// How much a gap weighs by itself, before the steps that follow are looked at.
enum class Weight : unsigned char {
  confirmed,     ///< state of a kind that always matters
  with_effect,   ///< confirmed when the compared steps part and no state of the first kind explains
                 ///< it
  with_batches,  ///< confirmed when the batches of the compared steps part
  as_last,       ///< confirmed when the steps part, both legs repeat themselves, and nothing else
                 ///< explains it
  warning,       ///< never
};

/// What is known of a field beside its copies.
struct GapFacts {
  bool moved = false;  ///< in the uninterrupted run
  bool drawn = false;  ///< somebody drew from its stream in either leg

  bool reset = false;     ///< the restored value is that of construction
  bool unstable = false;  ///< it differs between two resumed legs
  /// A whole number of a frame that the file holds as it was, that moves with the steps of both
  /// legs, and that the resumed leg neither has right nor has counted anew (0 or 1): it was loaded,
  /// and changed on the way.
  bool miscounted = false;
  bool lone = false;  ///< one of the legs alone has the field
  /// It is the same again from the next begin on: set anew before it is used, or never used.
  bool set_anew = false;
  /// One side is a leading part of the other, as of a cache that grows with the longest input; or a
  /// number beside such a one in its module.
  bool cached = false;
  bool remade = false;  ///< a private stream that does not go on to what it is a step later
  bool zeros = false;   ///< a gradient of zeros, where the other leg has none
};

/// Of two tensors one is a leading part of the other in each dimension, and equal to it there.
bool is_leading_part(const StateEntry& a, const StateEntry& b);

/// `name` has one of `words` between underscores or dots: "num_bad_epochs", "r.last_max".
bool has_word(std::string_view name, std::span<const std::string_view> words);

/// True when all canonical bytes of `entry` are known and zero.
bool is_all_zero(const StateEntry& entry);

Weight weigh(const FieldFate& fate, const GapFacts& facts);

/// `rng/numpy` of `rng/numpy/pos`: the fields of one stream move together. Empty for other
/// components.
std::string stream_of(const FieldPath& path);

bool has_trait(const Field& field, const std::string& name, std::string_view value);
/// The "declared" trait of a field; empty when there is none.
std::string declared(const Field& field);
/// State that nobody declares: attributes, variables of the loop, places in the data.
bool is_undeclared(const Field& field);

/// Rank of a field in causal order: data, RNG, parameters, gradients, optimizer, schedule, scaler,
/// average, the rest.
int causal_rank(const FieldPath& path);

/// The field that stands for the batch which the next step consumes.
bool is_next_batch(const FieldPath& path);

}  // namespace samestep
