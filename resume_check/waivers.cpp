#include "resume_check/waivers.h"

#include <array>
#include <ctime>

#include "checkpoint/files/mapped_file.h"
#include "resume_check/ignore_list.h"
#include "schemas/json/waivers_json.h"

namespace samestep {
std::vector<Waiver> read_waivers(const std::string& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return waivers_from_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

void apply_waivers(const std::vector<Waiver>& waivers, const std::string& today,
                   std::vector<Finding>& findings, Coverage& coverage) {
  for (const auto& waiver : waivers) {
    if (is_expired(waiver, today)) {
      coverage.not_compared.emplace_back("waiver " + waiver.field,
                                         "expired on " + waiver.expires + ", not applied (" +
                                             waiver.owner + ": " + waiver.reason + ")");
      continue;
    }
    for (auto& finding : findings) {
      if (finding.grade != Grade::confirmed || !glob_matches(waiver.field, finding.field)) continue;
      finding.grade = Grade::warning;
      finding.marks.emplace_back("waived");
      finding.evidence.emplace_back("waived by " + waiver.owner + " until " + waiver.expires +
                                    ": " + waiver.reason);
    }
  }
}

std::string day_of_today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  std::array<char, 16> text{};
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%d", &day);
  return {text.data(), length};
}

}  // namespace samestep
