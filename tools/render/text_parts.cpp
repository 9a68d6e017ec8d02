#include "tools/render/text_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schemas/error.h"
#include "schemas/value.h"

namespace samestep {
namespace {

constexpr std::size_t kColumnMax = 60;

std::string value_with_dtype(const Field& field) {
  std::string value = display(*field.value);
  if (field.kind != FieldKind::tensor) return value;
  return fmt::format("{}  ({})", value, tensor_text(to_string(field.dtype), field.shape));
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return count_text(bytes, "byte");
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1023.95 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string digest_text(std::string_view hex) {
  constexpr std::size_t kDigits = 16;
  return hex.size() <= kDigits ? std::string(hex) : std::string(hex.substr(0, kDigits)) + "...";
}

std::string tensor_text(std::string_view dtype, const std::vector<std::int64_t>& shape) {
  return fmt::format("{} [{}]", dtype, fmt::join(shape, ", "));
}

std::string content_text(const Field& field) {
  if (field.value) return value_with_dtype(field);
  if (field.kind == FieldKind::tensor) return tensor_text(to_string(field.dtype), field.shape);
  if (field.kind == FieldKind::opaque) return "opaque object of " + printable(field.class_name, 80);
  return bytes_text(field.bytes);
}

std::string verdict_word(const Report& report) {
  const bool is_same = report.verdict == Verdict::same;
  if (is_same || report.verdict == Verdict::diverged) {
    if (report.verb == "verify") return is_same ? "intact" : "damaged";
    if (report.verb == "gate") return is_same ? "passed" : "refused";
  }
  return std::string(to_string(report.verdict));
}

CoverageWords coverage_words(const Report& report) {
  if (report.verb == "verify") return {"Checked", "intact", "not checked"};
  return {"Compared", "equal", "not compared"};
}

std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows,
                        const Screen& screen, Screen::Ink left) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, std::min(row.first.size(), kColumnMax));
  std::string text;
  for (const auto& [first, second] : rows) {
    const std::size_t padding = first.size() < width ? width - first.size() : 0;
    text += "  " + screen.paint(first, left);
    if (!second.empty()) text += std::string(padding + 2, ' ') + second;
    text += '\n';
  }
  return text;
}

std::string bullets(const std::string& title, const std::vector<std::string>& lines,
                    const Screen& screen) {
  if (lines.empty()) return {};
  std::string text = "\n" + screen.paint(title, Screen::Ink::bold) + "\n";
  for (const std::string& line : lines) text += "  - " + printable(line, 1000) + "\n";
  return text;
}

}  // namespace samestep
