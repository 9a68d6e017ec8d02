#include "schemas/json/report_json.h"

#include <gtest/gtest.h>

#include "schemas/json/node.h"
#include "tests/schemas/json/edit.h"
#include "tests/schemas/json/expect_error.h"
#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

TEST(ReportJsonTest, GoesBothWays) {
  const std::string text = report_to_json(sample_report());
  const Report back = report_from_json(text, "report.json");
  EXPECT_EQ(report_to_json(back), text);
  ASSERT_EQ(back.findings.size(), 2u);
  const Finding& finding = back.findings[0];
  EXPECT_EQ(finding.fate, Fate::overwritten);
  EXPECT_EQ(finding.restored.value, Value(0.0));
  EXPECT_EQ(finding.loaded->digest, (Digest{1, 2}));
  EXPECT_EQ(finding.where->step, 5);
  EXPECT_EQ(finding.difference->ulp_max, 1082130432u);
  EXPECT_FALSE(back.findings[1].fate);
  EXPECT_FALSE(back.findings[1].where);
  EXPECT_EQ(back.legs[1].exit_status, -9);
  EXPECT_EQ(back.contract.at("torch.num_threads"), "4");
  EXPECT_EQ(back.coverage.ranks_heard, (std::vector<int>{0, 1}));
  EXPECT_EQ(back.divergence->folded, 17u);
}

TEST(ReportJsonTest, HoldsEveryKeyThatTheDesignLists) {
  const JsonNode report = JsonNode::parse(report_to_json(sample_report()), "report");
  for (const char* key : {"schema", "verdict", "findings", "cause", "divergence", "coverage",
                          "legs", "contract", "host"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  for (const JsonNode& finding : report.at("findings").elements()) {
    for (const char* key : {"kind", "grade", "field", "component", "rank", "role", "fate",
                            "evidence", "captured", "checkpointed", "restored", "where"}) {
      EXPECT_TRUE(finding.contains(key)) << key;
    }
  }
}

TEST(ReportJsonTest, AnEmptyReportIsWhole) {
  const std::string text = report_to_json(Report{});
  EXPECT_EQ(report_to_json(report_from_json(text, "report")), text);
}

TEST(ReportJsonTest, LongValuesAreToldByTheirCount) {
  Report report = sample_report();
  report.findings[0].captured.value = Bytes(5056);
  report.findings[0].restored.value = Numbers{std::vector<std::int64_t>(625)};
  const std::string text = report_to_json(report);
  EXPECT_NE(text.find(R"("value": {"bytes": 5056})"), std::string::npos);
  EXPECT_NE(text.find(R"("value": {"numbers": 625})"), std::string::npos);
  EXPECT_FALSE(report_from_json(text, "report").findings[0].captured.value);
}

TEST(ReportJsonTest, RefusesEachFaultByItsPointer) {
  const BadEdit cases[] = {
      {"report.v1", "report.v2", "r at /schema"},
      {"\"diverged\"", "\"different\"", "r at /verdict: no verdict has this name"},
      {"\"overwritten\"", "\"lost\"", "r at /findings/0/fate: no fate"},
      {"\"confirmed\"", "\"sure\"", "r at /findings/0/grade: no grade"},
      {"\"gap\"", "\"hole\"", "r at /findings/0/kind"},
      {"\"rank\": 1", "\"rank\": -1", "r at /findings/0/rank"},
      {"\"present\": true", "\"present\": 1", "r at /findings/0/captured/present"},
      {"\"evidence\"", "\"proof\"", "r at /findings/0: key \"evidence\" is missing"},
      {"\"power\"", "\"might\"", "r at /coverage: key \"power\" is missing"},
      {"\"ranks_heard\": [0, 1]", "\"ranks_heard\": [0, -1]", "r at /coverage/ranks_heard/1"},
      {"\"seconds\": 12.5", "\"seconds\": \"12\"", "r at /legs/0/seconds: expected a number"},
      {"\"host\"", "\"time\": 1, \"host\"", "r at /time: unknown key"},
  };
  const std::string text = report_to_json(sample_report());
  for (const BadEdit& c : cases) {
    EXPECT_ERROR(report_from_json(edited(text, c.source, c.target), "r"), corrupt, c.says);
  }
}

}  // namespace
}  // namespace samestep
