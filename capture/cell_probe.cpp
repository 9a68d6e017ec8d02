#include "capture/cell_probe.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "checkpoint/naming/vocabulary.h"
#include "schemas/check.h"

namespace samestep {
namespace {

struct KnownComponent {
  std::string_view kind;
  Role role;
};

constexpr std::array kComponents{
    KnownComponent{"model", Role::other},
    KnownComponent{"optimizer", Role::other},
    KnownComponent{"lr_scheduler", Role::schedule},
    KnownComponent{"grad_scaler", Role::scaler},
    KnownComponent{"rng", Role::rng},
    KnownComponent{"dataloader", Role::cursor},
    KnownComponent{"ema", Role::average},
    KnownComponent{"loop", Role::other},
    KnownComponent{"extra", Role::other},
};

}  // namespace

bool begins_with(const std::vector<std::string>& parts, const std::vector<std::string>& prefix) {
  return parts.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), parts.begin());
}

FieldPlace watched_place(const std::string& name) {
  const FieldPath path(name);
  const std::string kind = path.component_kind();
  const auto known = std::ranges::find(kComponents, std::string_view(kind), &KnownComponent::kind);
  FieldPlace place;
  place.traits["declared"] = "watched";
  if (known != kComponents.end() && path.parts().size() > 1) {
    place.parts = path.parts();
    place.role = known->role;
  } else {
    place.parts = {"loop", name};
    place.role = counter_role(name).value_or(Role::other);
  }
  return place;
}

CellProbe::CellProbe(FieldPlace place, std::unique_ptr<Cell> cell)
    : place_(std::move(place)), cell_(std::move(cell)) {}

bool CellProbe::owns(const FieldPath& path) const {
  return begins_with(path.parts(), place_.parts);
}

std::vector<std::string> CellProbe::rest_of(const FieldPath& path) const {
  std::vector<std::string> parts = path.parts();
  SAMESTEP_CHECK(begins_with(parts, place_.parts));
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(place_.parts.size()));
  return parts;
}

std::vector<StateEntry> CellProbe::read() const {
  std::vector<StateEntry> fields;
  cell_->read(place_, fields);
  return fields;
}

std::optional<std::string> CellProbe::refusal(const StateEntry& entry) const {
  return cell_->refusal(rest_of(entry.field.path), entry);
}

bool CellProbe::can_erase(const FieldPath& path) const { return cell_->can_erase(rest_of(path)); }

void CellProbe::apply(const Change& change) {
  for (const FieldPath& path : change.erased) cell_->erase(rest_of(path));
  for (const StateEntry* entry : change.written) cell_->write(rest_of(entry->field.path), *entry);
}

}  // namespace samestep
