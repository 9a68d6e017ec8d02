#include "checkpoint/contracts/component_view.h"

#include <algorithm>
#include <charconv>

namespace samestep {
namespace {

void drop_copy_number(std::string& part) {
  const auto mark = part.rfind('#');
  if (mark == std::string::npos || mark + 1 == part.size()) return;
  if (part.find_first_not_of("0123456789", mark + 1) == std::string::npos) part.resize(mark);
}

std::optional<int> rank_of(const Field& field) {
  const auto trait = field.traits.find("rank");
  if (trait == field.traits.end()) return std::nullopt;
  int rank = 0;
  std::from_chars(trait->second.data(), trait->second.data() + trait->second.size(), rank);
  return rank;
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& parts) {
  return pattern.size() == parts.size() + 1 &&
         std::equal(parts.begin(), parts.end(), pattern.begin() + 1,
                    [](const std::string& part, const std::string& wanted) {
                      return wanted == "*" || wanted == part;
                    });
}

}  // namespace

const Field* ComponentView::find(const std::vector<std::string>& parts) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& at) { return at.parts == parts; });
  return found == fields.end() ? nullptr : found->field;
}

bool ComponentView::has_key(std::string_view first_part) const {
  return std::any_of(fields.begin(), fields.end(), [&](const auto& at) {
    return !at.parts.empty() && at.parts.front() == first_part;
  });
}

std::vector<ComponentView> component_views(const StateTree& tree) {
  std::vector<ComponentView> views;
  std::map<std::string, std::size_t> index;
  for (const StateEntry& entry : tree.entries()) {
    std::vector<std::string> parts = entry.field.path.parts();
    if (parts.empty()) continue;
    const auto [place, added] = index.emplace(parts.front(), views.size());
    if (added) views.push_back({parts.front(), entry.field.path.component_kind(), {}});
    parts.erase(parts.begin());
    if (!parts.empty()) drop_copy_number(parts.back());
    views[place->second].fields.push_back({std::move(parts), &entry.field, rank_of(entry.field)});
  }
  return views;
}

std::vector<const Field*> fields_at(const std::vector<ComponentView>& views,
                                    std::string_view path) {
  const std::vector<std::string> pattern = FieldPath(std::string(path)).parts();
  std::vector<const Field*> found;
  for (const ComponentView& view : views) {
    if (pattern.empty() || view.name != pattern.front()) continue;
    for (const ComponentField& at : view.fields) {
      if (matches(pattern, at.parts)) found.push_back(at.field);
    }
  }
  return found;
}

}  // namespace samestep
