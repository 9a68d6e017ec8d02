#include "capture/cell.h"

#include <charconv>
#include <utility>

#include "schemas/check.h"

namespace samestep {

FieldPlace FieldPlace::below(std::string part) const {
  FieldPlace place = *this;
  place.parts.push_back(std::move(part));
  return place;
}

StateEntry value_entry(const FieldPlace& place, Value value) {
  StateEntry entry;
  entry.field.path = FieldPath::of(place.parts);
  entry.field.role = place.role;
  entry.field.kind = FieldKind::value;
  entry.field.traits = place.traits;
  entry.bytes = value_bytes(value);
  entry.field.bytes = entry.bytes->size();
  entry.field.value = std::move(value);
  return entry;
}

void ValueCell::read(const FieldPlace& place, std::vector<StateEntry>& fields) const {
  fields.push_back(value_entry(place, get()));
}

std::optional<std::string> ValueCell::refusal(Rest rest, const StateEntry& entry) const {
  if (!rest.empty()) return "no structure here that could have this part";
  const Value live = get();
  if (!entry.field.value || entry.field.kind != FieldKind::value)
    return std::string("is a tensor there and a ") + kind_of(live) + " here";
  if (accepts(*entry.field.value)) return std::nullopt;
  return "is " + display(*entry.field.value) + " there, which a " + kind_of(live) +
         " of this type cannot hold";
}

void ValueCell::write(Rest rest, const StateEntry& entry) {
  SAMESTEP_CHECK(rest.empty() && entry.field.value && accepts(*entry.field.value));
  set(*entry.field.value);
}

void ValueCell::erase(Rest) { SAMESTEP_CHECK(false); }

std::optional<std::size_t> index_of(std::string_view part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool canonical = part.size() == 1 || !part.starts_with('0');
  if (error != std::errc() || end != part.data() + part.size() || !canonical) return std::nullopt;
  return index;
}

FieldVisitor& FieldVisitor::add(std::string_view name, std::unique_ptr<Cell> cell) {
  members_.emplace_back(name, std::move(cell));
  return *this;
}

std::unique_ptr<Cell> FieldVisitor::take() {
  return std::make_unique<StructCell>(std::move(members_));
}

void StructCell::read(const FieldPlace& place, std::vector<StateEntry>& fields) const {
  for (const auto& [name, cell] : members_) cell->read(place.below(name), fields);
}

Cell* StructCell::member(Rest rest) const {
  if (rest.empty()) return nullptr;
  for (const auto& [name, cell] : members_)
    if (name == rest[0]) return cell.get();
  return nullptr;
}

std::optional<std::string> StructCell::refusal(Rest rest, const StateEntry& entry) const {
  const Cell* cell = member(rest);
  if (!cell) return "there is no such field here";
  return cell->refusal(rest.subspan(1), entry);
}

void StructCell::write(Rest rest, const StateEntry& entry) {
  Cell* cell = member(rest);
  SAMESTEP_CHECK(cell);
  cell->write(rest.subspan(1), entry);
}

bool StructCell::can_erase(Rest rest) const {
  const Cell* cell = member(rest);
  return cell && cell->can_erase(rest.subspan(1));
}

void StructCell::erase(Rest rest) {
  if (Cell* cell = member(rest)) cell->erase(rest.subspan(1));
}

}  // namespace samestep
