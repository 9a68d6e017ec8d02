// FieldPath: the canonical name of a field, parts joined by '/', each part escaped as in JSON
// Pointer.
#pragma once

#include <compare>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace samestep {

/// `optimizer/state/layers.0.weight/exp_avg`. The first part is the component (`model`,
/// `optimizer`, `lr_scheduler`, `grad_scaler`, `rng`, `dataloader`, `ema`, `loop`, `gradients`,
/// `extra`; several of a kind: `optimizer.1`). Parts hold any text; '~' is written "~0", '/' "~1",
/// and a byte that is not UTF-8 "~xNN": a path is always UTF-8.
class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(std::string escaped) : text_(std::move(escaped)) {}
  /// From unescaped parts.
  static FieldPath of(std::initializer_list<std::string_view> parts);
  static FieldPath of(const std::vector<std::string>& parts);

  const std::string& text() const noexcept { return text_; }
  bool empty() const noexcept { return text_.empty(); }
  /// Unescaped parts.
  std::vector<std::string> parts() const;
  /// First part ("optimizer.1"), and the same without its number ("optimizer").
  std::string component() const;
  std::string component_kind() const;
  /// Last part, unescaped.
  std::string leaf() const;
  /// This path with `part` (unescaped) appended.
  FieldPath operator/(std::string_view part) const;

  auto operator<=>(const FieldPath&) const = default;

 private:
  std::string text_;
};

/// One part, escaped.
std::string escape_part(std::string_view part);

}  // namespace samestep
