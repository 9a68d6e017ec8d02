#include "tools/render/inspection_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "schemas/error.h"
#include "schemas/value.h"
#include "tools/render/text_parts.h"

namespace samestep {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;
constexpr std::size_t kCountersMax = 40;

std::string head(const Inspection& inspection, const Screen& screen) {
  std::string step = "not known";
  if (inspection.step) {
    step = std::to_string(*inspection.step);
    if (!inspection.step_source.empty()) step += ", says " + printable(inspection.step_source);
  }
  return screen.paint(printable(inspection.path, 500), Screen::Ink::bold) + "\n" +
         two_columns({{"format", printable(inspection.format)}, {"step", step}}, screen,
                     Screen::Ink::dim);
}

std::string components(const Inspection& inspection, const Screen& screen) {
  std::size_t width = 9;
  for (const auto& [name, count] : inspection.components) {
    width = std::max(width, printable(name, 40).size());
  }
  const std::string title =
      fmt::format("{:<{}} {:>8} {:>12}", "component", width, "fields", "size");
  std::string text = "\n  " + screen.paint(title, Screen::Ink::dim) + "\n";
  for (const auto& [name, count] : inspection.components) {
    text += fmt::format("  {:<{}} {:>8} {:>12}\n", printable(name, 40), width, count.fields,
                        bytes_text(count.bytes));
  }
  return text;
}

bool is_counter(const Field& field) {
  if (!field.value || std::holds_alternative<std::string>(*field.value)) return false;
  switch (field.role) {
    case Role::step_counter:
    case Role::schedule:
    case Role::cursor:
    case Role::scaler:
      return true;
    case Role::other:
      return field.path.component_kind() == "loop" && field.path.parts().size() == 2;
    default:
      return false;
  }
}

// "optimizer/state/*/step" for the slots of one optimizer, so that equal counters make one line.
std::string counter_name(const FieldPath& path) {
  const auto parts = path.parts();
  if (parts.size() == 4 && path.component_kind() == "optimizer" && parts[1] == "state") {
    return parts[0] + "/state/*/" + escape_part(parts[3]);
  }
  return path.text();
}

std::string counters(const Inspection& inspection, const Screen& screen) {
  Rows rows;
  std::vector<std::uint64_t> counts;
  for (const InspectedField& entry : inspection.fields) {
    if (!is_counter(entry.field)) continue;
    const std::pair row{printable(counter_name(entry.field.path)), display(*entry.field.value)};
    const auto known = std::find(rows.begin(), rows.end(), row);
    if (known != rows.end()) {
      ++counts[static_cast<std::size_t>(known - rows.begin())];
    } else {
      rows.push_back(row);
      counts.push_back(1);
    }
    if (rows.size() > kCountersMax) break;
  }
  const bool cut = rows.size() > kCountersMax;
  if (cut) rows.back() = {"...", "more: --fields lists each field"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (counts[i] > 1) rows[i].second += fmt::format("  ({})", count_text(counts[i], "field"));
  }
  if (rows.empty()) return {};
  return "\n" + screen.paint("Counters, schedule and position", Screen::Ink::bold) + "\n" +
         two_columns(rows, screen);
}

std::string fields(const Inspection& inspection, const Screen& screen) {
  Rows rows;
  for (const InspectedField& entry : inspection.fields) {
    std::string content = content_text(entry.field);
    if (entry.rank != 0) content += fmt::format("  rank {}", entry.rank);
    if (entry.field.digest) content += "  xxh3 " + digest_text(entry.field.digest->hex());
    if (!entry.sha256.empty()) content += "  sha256 " + digest_text(entry.sha256);
    rows.emplace_back(printable(entry.field.path.text(), 400), std::move(content));
  }
  if (rows.empty()) return {};
  return "\n" + screen.paint("Fields", Screen::Ink::bold) + "\n" + two_columns(rows, screen);
}

std::string absent(const Inspection& inspection, const Screen& screen) {
  if (inspection.absent.empty()) return {};
  Rows rows;
  for (const auto& [what, why] : inspection.absent) {
    rows.emplace_back(printable(what), printable(why, 500));
  }
  return "\n" + screen.paint("Absent", Screen::Ink::yellow) + "\n" + two_columns(rows, screen);
}

}  // namespace

std::string inspection_text(const Inspection& inspection, const Screen& screen, bool all_fields) {
  std::uint64_t bytes = 0;
  for (const auto& [name, count] : inspection.components) bytes += count.bytes;
  std::string text = head(inspection, screen) + components(inspection, screen);
  text += all_fields ? fields(inspection, screen) : counters(inspection, screen);
  text += absent(inspection, screen);
  text += bullets("Warnings", inspection.warnings, screen);
  text += bullets("Notes", inspection.notes, screen);
  text += "\n" + count_text(inspection.fields.size(), "field") + " in " +
          count_text(inspection.components.size(), "component") + ", " + bytes_text(bytes) + ", " +
          count_text(inspection.warnings.size() + inspection.absent.size(), "warning") + "\n";
  return text;
}

}  // namespace samestep
