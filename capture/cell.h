// Cell: one value of a trainer, or a small structure of values, as fields that can be read and
// written. cell_of(x) makes the cell of any type that is known:
//   numbers, bool, enums, std::string, std::optional, std::vector, std::deque, std::array,
//   std::pair, std::tuple, std::map with string keys; tensors with capture/torch/tensor_cell.h;
//   any type T for which there is, in its namespace,
//       void samestep_fields(samestep::FieldVisitor& visit, T& thing) { visit("lr", thing.lr); }
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep {

/// Where a field lies, as far as it is known: cells append the rest.
struct FieldPlace {
  std::vector<std::string> parts;
  Role role = Role::other;
  std::map<std::string, std::string> traits;

  FieldPlace below(std::string part) const;
};

/// Refers to what it was made of, which must outlive it. `rest`: the parts of a path below the
/// cell's own place.
class Cell {
 public:
  using Rest = std::span<const std::string>;

  virtual ~Cell() = default;
  virtual void read(const FieldPlace& place, std::vector<StateEntry>& fields) const = 0;
  /// As Probe::refusal. `rest` may name what is not there yet.
  virtual std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const = 0;
  /// Only what is not refused.
  virtual void write(Rest rest, const StateEntry& entry) = 0;
  virtual bool can_erase(Rest rest) const = 0;
  /// Only what can be erased. Erasing an element of a list erases those behind it as well.
  virtual void erase(Rest rest) = 0;
};

/// A value that is exactly one field and is always there.
class ValueCell : public Cell {
 public:
  void read(const FieldPlace& place, std::vector<StateEntry>& fields) const final;
  std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const final;
  void write(Rest rest, const StateEntry& entry) final;
  bool can_erase(Rest) const final { return false; }
  void erase(Rest) final;

 protected:
  virtual Value get() const = 0;
  /// Whether `value` can be held exactly.
  virtual bool accepts(const Value& value) const = 0;
  virtual void set(const Value& value) = 0;
};

/// How to make the cell of a T; specialised below and in capture/torch/tensor_cell.h.
template <typename T>
struct CellFor;

template <typename T>
std::unique_ptr<Cell> cell_of(T& thing) {
  return CellFor<T>::make(thing);
}

/// Gathers the members of a structure.
class FieldVisitor {
 public:
  template <typename T>
  FieldVisitor& operator()(std::string_view name, T& member) {
    return add(name, cell_of(member));
  }
  FieldVisitor& add(std::string_view name, std::unique_ptr<Cell> cell);
  /// The cell of all members seen.
  std::unique_ptr<Cell> take();

 private:
  std::vector<std::pair<std::string, std::unique_ptr<Cell>>> members_;
};

/// An entry of a value field.
StateEntry value_entry(const FieldPlace& place, Value value);

}  // namespace samestep

#include "capture/cell_types.h"
