// Damaged documents: each is refused with an Error, or means what it says.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "schemas/error.h"
#include "schemas/json/capture_json.h"
#include "schemas/json/inspect_json.h"
#include "schemas/json/plan_json.h"
#include "schemas/json/report_json.h"
#include "schemas/json/waivers_json.h"
#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

constexpr unsigned kSeed = 20240229;
constexpr int kRounds = 800;

struct Form {
  const char* name;
  std::string text;
  std::function<std::string(const std::string&)> rewrite;  ///< reads, and writes again
};

std::vector<Form> forms() {
  Plan plan;
  plan.leg = "resumed";
  plan.run = "/run";
  plan.at = 4;
  return {{"plan", plan_to_json(plan),
           [](const auto& t) { return plan_to_json(plan_from_json(t, "d")); }},
          {"capture", capture_rank_to_json(sample_capture()),
           [](const auto& t) { return capture_rank_to_json(capture_rank_from_json(t, "d")); }},
          {"world", capture_world_to_json({4, 1, {"rank-0.json"}}),
           [](const auto& t) { return capture_world_to_json(capture_world_from_json(t, "d")); }},
          {"report", report_to_json(sample_report()),
           [](const auto& t) { return report_to_json(report_from_json(t, "d")); }},
          {"inspection", inspection_to_json(sample_inspection()),
           [](const auto& t) { return inspection_to_json(inspection_from_json(t, "d")); }},
          {"waivers", waivers_to_json({{"a", "b", "c", "2031-12-31"}}),
           [](const auto& t) { return waivers_to_json(waivers_from_json(t, "d")); }}};
}

std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::string_view kBytes = "\"{}[],:-+.eE0123456789\\/ntuf\n \xC3\xFF";
  const auto place = [&] {
    return std::uniform_int_distribution<std::size_t>(0, text.size() - 1)(random);
  };
  const int edits = std::uniform_int_distribution<int>(1, 3)(random);
  for (int i = 0; i < edits && text.size() > 8; ++i) {
    switch (random() % 4) {
      case 0:
        text[place()] = kBytes[random() % kBytes.size()];
        break;
      case 1:
        text.erase(place(), 1 + random() % 8);
        break;
      case 2:
        text.insert(place(), 1, kBytes[random() % kBytes.size()]);
        break;
      default: {
        const std::size_t from = place();
        text.insert(place(), text.substr(from, random() % 40));
      }
    }
  }
  return text;
}

TEST(MutationTest, ADamagedDocumentIsRefusedOrMeansWhatItSays) {
  std::mt19937 random(kSeed);
  for (const Form& form : forms()) {
    int accepted = 0;
    ASSERT_EQ(form.rewrite(form.text), form.text) << form.name;
    for (int round = 0; round < kRounds; ++round) {
      const std::string text = damaged(form.text, random);
      SCOPED_TRACE(form.name + std::string(", seed ") + std::to_string(kSeed) + ", round " +
                   std::to_string(round) + ":\n" + text);
      std::string once;
      try {
        once = form.rewrite(text);
      } catch (const Error& error) {
        ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        continue;
      }
      ++accepted;
      ASSERT_EQ(form.rewrite(once), once);
    }
    EXPECT_LT(accepted, kRounds / 2) << form.name;
  }
}

}  // namespace
}  // namespace samestep
