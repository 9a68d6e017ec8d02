// The cells of C++'s own types. Included by capture/cell.h alone.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

namespace samestep {

template <typename T>
concept HasFields = requires(FieldVisitor& visit, T& thing) {
  samestep_fields(visit, thing);
};

template <typename T>
concept Number = std::is_arithmetic_v<T>;

template <Number T>
Value value_of(T number) {
  if constexpr (std::is_same_v<T, bool>) {
    return number;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(number);
  } else {
    return static_cast<std::int64_t>(number);
  }
}

/// False when a T cannot hold `value` exactly.
template <Number T>
bool assign(const Value& value, T& number) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool* held = std::get_if<bool>(&value);
    if (held) number = *held;
    return held != nullptr;
  } else if constexpr (std::is_floating_point_v<T>) {
    const double* held = std::get_if<double>(&value);
    if (!held) return false;
    const T narrowed = static_cast<T>(*held);
    if (static_cast<double>(narrowed) != *held && !std::isnan(*held)) return false;
    number = narrowed;
    return true;
  } else {
    const std::int64_t* held = std::get_if<std::int64_t>(&value);
    if (!held || static_cast<std::int64_t>(static_cast<T>(*held)) != *held) return false;
    number = static_cast<T>(*held);
    return true;
  }
}

template <Number T>
class NumberCell final : public ValueCell {
 public:
  static_assert(sizeof(T) <= 8, "long double has no canonical bytes");
  explicit NumberCell(T& number) : number_(number) {}

 private:
  Value get() const override { return value_of(number_); }
  bool accepts(const Value& value) const override {
    T number{};
    return assign(value, number);
  }
  void set(const Value& value) override { assign(value, number_); }
  T& number_;
};

template <typename T>
requires std::is_enum_v<T>
class EnumCell final : public ValueCell {
 public:
  explicit EnumCell(T& choice) : choice_(choice) {}

 private:
  using Plain = std::underlying_type_t<T>;
  Value get() const override { return static_cast<std::int64_t>(choice_); }
  bool accepts(const Value& value) const override {
    const std::int64_t* held = std::get_if<std::int64_t>(&value);
    return held && static_cast<std::int64_t>(static_cast<Plain>(*held)) == *held;
  }
  void set(const Value& value) override { choice_ = static_cast<T>(std::get<std::int64_t>(value)); }
  T& choice_;
};

class TextCell final : public ValueCell {
 public:
  explicit TextCell(std::string& text) : text_(text) {}

 private:
  Value get() const override { return text_; }
  bool accepts(const Value& value) const override {
    return std::holds_alternative<std::string>(value);
  }
  void set(const Value& value) override { text_ = std::get<std::string>(value); }
  std::string& text_;
};

/// Runs of at most so many numbers become one field each; longer ones are packed into one.
inline constexpr std::size_t kSingleNumbersMax = 64;
/// No list that is restored may be longer.
inline constexpr std::size_t kListLengthMax = std::size_t{1} << 20;

/// The index that `part` spells, nothing when it spells none.
std::optional<std::size_t> index_of(std::string_view part);

/// std::vector and std::deque. Elements are fields "0", "1", ...; a long run of numbers is one.
template <typename List>
class ListCell final : public Cell {
  using Element = typename List::value_type;
  static_assert(!std::is_same_v<List, std::vector<bool>>, "keep flags in a vector of another type");

 public:
  explicit ListCell(List& list) : list_(list) {}

  void read(const FieldPlace& place, std::vector<StateEntry>& fields) const override {
    if (is_packed(list_.size())) {
      fields.push_back(value_entry(place, packed()));
      return;
    }
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const FieldPlace element = place.below(std::to_string(i));
      const std::size_t before = fields.size();
      cell_of(list_[i])->read(element, fields);
      // An element that is there and holds nothing (an undefined tensor) counts in the length.
      if (fields.size() == before) fields.push_back(value_entry(element, None{}));
    }
  }
  std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const override {
    if (rest.empty()) {
      if (unpack(entry, nullptr)) return std::nullopt;
      return "is no run of numbers that this list can hold";
    }
    const auto index = index_of(rest[0]);
    if (!index || *index >= kListLengthMax) return "is no element of a list";
    Element fresh{};
    const auto cell = *index < list_.size() ? cell_of(list_[*index]) : cell_of(fresh);
    if (is_nothing(rest, entry) && cell->can_erase({})) return std::nullopt;
    return cell->refusal(rest.subspan(1), entry);
  }
  void write(Rest rest, const StateEntry& entry) override {
    if (rest.empty()) {
      unpack(entry, &list_);
      return;
    }
    const auto index = index_of(rest[0]);
    if (*index >= list_.size()) list_.resize(*index + 1);
    const auto cell = cell_of(list_[*index]);
    if (is_nothing(rest, entry) && cell->can_erase({})) return cell->erase({});
    cell->write(rest.subspan(1), entry);
  }
  bool can_erase(Rest rest) const override { return rest.empty() || index_of(rest[0]).has_value(); }
  void erase(Rest rest) override {
    const std::size_t kept = rest.empty() ? 0 : *index_of(rest[0]);
    if (kept < list_.size()) list_.resize(kept);
  }

 private:
  static bool is_packed(std::size_t count) {
    return Number<Element> && !std::is_same_v<Element, bool> && count > kSingleNumbersMax;
  }
  static bool is_nothing(Rest rest, const StateEntry& entry) {
    return rest.size() == 1 && entry.field.value &&
           std::holds_alternative<None>(*entry.field.value);
  }
  Value packed() const {
    if constexpr (std::is_floating_point_v<Element>) {
      return Numbers{std::vector<double>(list_.begin(), list_.end())};
    } else if constexpr (std::is_integral_v<Element>) {
      return Numbers{std::vector<std::int64_t>(list_.begin(), list_.end())};
    } else {
      return None{};
    }
  }
  /// Fills `list`, when it is given; false when `entry` is no run of such numbers.
  static bool unpack(const StateEntry& entry, List* list) {
    if constexpr (Number<Element> && !std::is_same_v<Element, bool>) {
      using Wide = std::conditional_t<std::is_floating_point_v<Element>, double, std::int64_t>;
      if (!entry.field.value) return false;
      const auto* numbers = std::get_if<Numbers>(&*entry.field.value);
      const auto* wide = numbers ? std::get_if<std::vector<Wide>>(&numbers->values) : nullptr;
      if (!wide) return false;
      List found;
      for (const Wide number : *wide)
        if (!assign(Value(number), found.emplace_back())) return false;
      if (list) *list = std::move(found);
      return true;
    } else {
      return false;
    }
  }

  List& list_;
};

/// A fixed number of members: the cell of a structure, an array or a tuple.
class StructCell final : public Cell {
 public:
  using Members = std::vector<std::pair<std::string, std::unique_ptr<Cell>>>;
  explicit StructCell(Members members) : members_(std::move(members)) {}

  void read(const FieldPlace& place, std::vector<StateEntry>& fields) const override;
  std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const override;
  void write(Rest rest, const StateEntry& entry) override;
  bool can_erase(Rest rest) const override;
  void erase(Rest rest) override;

 private:
  Cell* member(Rest rest) const;
  Members members_;
};

/// None when it is empty.
template <typename T>
class OptionalCell final : public Cell {
 public:
  explicit OptionalCell(std::optional<T>& thing) : thing_(thing) {}

  void read(const FieldPlace& place, std::vector<StateEntry>& fields) const override {
    if (thing_) return cell_of(*thing_)->read(place, fields);
    fields.push_back(value_entry(place, None{}));
  }
  std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const override {
    if (is_none(rest, entry)) return std::nullopt;
    if (thing_) return cell_of(*thing_)->refusal(rest, entry);
    T fresh{};
    return cell_of(fresh)->refusal(rest, entry);
  }
  void write(Rest rest, const StateEntry& entry) override {
    if (is_none(rest, entry)) return thing_.reset();
    if (!thing_) thing_.emplace();
    cell_of(*thing_)->write(rest, entry);
  }
  bool can_erase(Rest rest) const override {
    return rest.empty() || (thing_ && cell_of(*thing_)->can_erase(rest));
  }
  void erase(Rest rest) override {
    if (rest.empty()) return thing_.reset();
    if (thing_) cell_of(*thing_)->erase(rest);
  }

 private:
  static bool is_none(Rest rest, const StateEntry& entry) {
    return rest.empty() && entry.field.value && std::holds_alternative<None>(*entry.field.value);
  }
  std::optional<T>& thing_;
};

/// Keys are parts of the path.
template <typename T>
class MapCell final : public Cell {
 public:
  explicit MapCell(std::map<std::string, T>& map) : map_(map) {}

  void read(const FieldPlace& place, std::vector<StateEntry>& fields) const override {
    for (auto& [key, thing] : map_) cell_of(thing)->read(place.below(key), fields);
  }
  std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const override {
    if (rest.empty()) return "is one field there and a map here";
    const auto found = map_.find(rest[0]);
    if (found != map_.end()) return cell_of(found->second)->refusal(rest.subspan(1), entry);
    T fresh{};
    return cell_of(fresh)->refusal(rest.subspan(1), entry);
  }
  void write(Rest rest, const StateEntry& entry) override {
    cell_of(map_[rest[0]])->write(rest.subspan(1), entry);
  }
  bool can_erase(Rest rest) const override { return !rest.empty(); }
  void erase(Rest rest) override {
    const auto found = map_.find(rest[0]);
    if (found == map_.end()) return;
    const auto cell = cell_of(found->second);
    rest.size() > 1 && cell->can_erase(rest.subspan(1)) ? cell->erase(rest.subspan(1))
                                                        : void(map_.erase(found));
  }

 private:
  std::map<std::string, T>& map_;
};

template <Number T>
struct CellFor<T> {
  static std::unique_ptr<Cell> make(T& thing) { return std::make_unique<NumberCell<T>>(thing); }
};
template <typename T>
requires std::is_enum_v<T>
struct CellFor<T> {
  static std::unique_ptr<Cell> make(T& thing) { return std::make_unique<EnumCell<T>>(thing); }
};
template <>
struct CellFor<std::string> {
  static std::unique_ptr<Cell> make(std::string& text) { return std::make_unique<TextCell>(text); }
};
template <typename T>
struct CellFor<std::vector<T>> {
  static std::unique_ptr<Cell> make(std::vector<T>& list) {
    return std::make_unique<ListCell<std::vector<T>>>(list);
  }
};
template <typename T>
struct CellFor<std::deque<T>> {
  static std::unique_ptr<Cell> make(std::deque<T>& list) {
    return std::make_unique<ListCell<std::deque<T>>>(list);
  }
};
template <typename T>
struct CellFor<std::optional<T>> {
  static std::unique_ptr<Cell> make(std::optional<T>& thing) {
    return std::make_unique<OptionalCell<T>>(thing);
  }
};
template <typename T>
struct CellFor<std::map<std::string, T>> {
  static std::unique_ptr<Cell> make(std::map<std::string, T>& map) {
    return std::make_unique<MapCell<T>>(map);
  }
};
template <typename T, std::size_t Count>
struct CellFor<std::array<T, Count>> {
  static std::unique_ptr<Cell> make(std::array<T, Count>& list) {
    FieldVisitor visit;
    for (std::size_t i = 0; i < Count; ++i) visit(std::to_string(i), list[i]);
    return visit.take();
  }
};
template <typename... T>
struct CellFor<std::tuple<T...>> {
  static std::unique_ptr<Cell> make(std::tuple<T...>& parts) {
    FieldVisitor visit;
    std::size_t index = 0;
    std::apply([&](T&... part) { (visit(std::to_string(index++), part), ...); }, parts);
    return visit.take();
  }
};
template <typename A, typename B>
struct CellFor<std::pair<A, B>> {
  static std::unique_ptr<Cell> make(std::pair<A, B>& parts) {
    FieldVisitor visit;
    visit("0", parts.first)("1", parts.second);
    return visit.take();
  }
};
template <HasFields T>
struct CellFor<T> {
  static std::unique_ptr<Cell> make(T& thing) {
    FieldVisitor visit;
    samestep_fields(visit, thing);
    return visit.take();
  }
};

}  // namespace samestep
