// Each document that the program writes is valid against its schema; each bad one is refused by it.
#include <gtest/gtest.h>

#include <cmath>

#include "schemas/json/capture_json.h"
#include "schemas/json/inspect_json.h"
#include "schemas/json/plan_json.h"
#include "schemas/json/report_json.h"
#include "schemas/json/waivers_json.h"
#include "tests/schemas/json/edit.h"
#include "tests/schemas/json/samples.h"
#include "tests/schemas/validation.h"

namespace samestep {
namespace {

std::string plan_text() {
  Plan plan;
  plan.leg = "resumed";
  plan.run = "/w/run";
  plan.at = 4;
  plan.out = "/w/out";
  plan.stepping = {"optimizer"};
  plan.operators_at = 5;
  return plan_to_json(plan);
}

std::string waivers_text() {
  return waivers_to_json({{"loop/*", "a new folder", "me", "2031-12-31"}});
}

TEST(SchemaFilesTest, WhatWeWriteIsValid) {
  Report bare;
  bare.verb = "diff";
  EXPECT_EQ(validation_errors("plan.v1", plan_text()), "");
  EXPECT_EQ(validation_errors("waivers.v1", waivers_text()), "");
  EXPECT_EQ(validation_errors("capture.v2", capture_rank_to_json(sample_capture())), "");
  CaptureRank summed = sample_capture();
  summed.summary = CaptureSummary{{7, 8}, 0, {{"lr_scheduler", 1}, {"optimizer", 1}}};
  EXPECT_EQ(validation_errors("capture.v3", capture_rank_to_json(summed)), "");
  EXPECT_EQ(validation_errors("capture.v2", capture_world_to_json({4, 1, {"rank-0.json"}})), "");
  EXPECT_EQ(validation_errors("report.v1", report_to_json(sample_report())), "");
  EXPECT_EQ(validation_errors("report.v1", report_to_json(bare)), "");
  EXPECT_EQ(validation_errors("inspect.v1", inspection_to_json(sample_inspection())), "");
  EXPECT_EQ(validation_errors("inspect.v1", inspection_to_json(Inspection{})), "");
}

TEST(SchemaFilesTest, ValuesOfEachKindAreValid) {
  const Value values[] = {None{},
                          true,
                          std::int64_t{-1},
                          BigInt{Bytes(9, std::byte{0x7f})},
                          0.5,
                          HUGE_VAL,
                          std::string("x"),
                          std::string("\xFF"),
                          Bytes(4),
                          Numbers{std::vector<std::int64_t>{1}},
                          Numbers{std::vector<double>{0.5, HUGE_VAL}},
                          Numbers{std::vector<std::int64_t>(20)}};
  for (const Value& value : values) {
    CaptureRank capture = sample_capture();
    capture.fields[0].value = value;
    EXPECT_EQ(validation_errors("capture.v2", capture_rank_to_json(capture)), "") << display(value);
    Inspection inspection = sample_inspection();
    inspection.fields[2].field.value = value;
    EXPECT_EQ(validation_errors("inspect.v1", inspection_to_json(inspection)), "")
        << display(value);
  }
}

struct BadDocument {
  const char* schema;
  std::string text, source, target;
};

TEST(SchemaFilesTest, EachBadOneIsRefused) {
  const std::string plan = plan_text(), waivers = waivers_text();
  const std::string capture = capture_rank_to_json(sample_capture());
  const std::string report = report_to_json(sample_report());
  const std::string inspection = inspection_to_json(sample_inspection());
  const BadDocument cases[] = {
      {"plan.v1", plan, "plan.v1", "plan.v2"},
      {"plan.v1", plan, "\"/w/run\"", "\"run\""},
      {"plan.v1", plan, "\"steps\": 3", "\"steps\": -3"},
      {"plan.v1", plan, "\"leg\"", "\"x\": 1, \"leg\""},
      {"plan.v1", plan, "\"leg\"", "\"Leg\""},
      {"waivers.v1", waivers, "2031-12-31", "soon"},
      {"waivers.v1", waivers, "\"owner\"", "\"x\""},
      {"waivers.v1", waivers, "\"me\"", "\"\""},
      {"capture.v2", capture, "\"digest_version\": 1", "\"digest_version\": 2"},
      {"capture.v2", capture, "\"moment\"", "\"momentum\""},
      {"capture.v2", capture, "\"float32\"", "\"float33\""},
      {"capture.v2", capture, "\"dtype\"", "\"Dtype\""},
      {"capture.v2", capture, "{\"int\": 4}", "4"},
      {"capture.v2", capture, "{\"int\": 4}", "{\"int\": 4, \"str\": \"\"}"},
      {"capture.v2", capture, "\"world_size\": 2", "\"world_size\": 0"},
      {"capture.v2", capture, "\"4/rank-0-0.0.pack\"", "\"/x\""},
      {"report.v1", report, "\"diverged\"", "\"different\""},
      {"report.v1", report, "\"overwritten\"", "\"lost\""},
      {"report.v1", report, "\"evidence\"", "\"proof\""},
      {"report.v1", report, "\"power\": true", "\"power\": 1"},
      {"report.v1", report, "\"verb\": \"audit\"", "\"verb\": \"explain\""},
      {"report.v1", report, "\"host\"", "\"time\": 0, \"host\""},
      {"inspect.v1", inspection, "\"step\": 4", "\"step\": \"4\""},
      {"inspect.v1", inspection, std::string(64, 'a'), "abc"},
      {"inspect.v1", inspection, "{\"attr\"", "{\"attribute\""},
      {"inspect.v1", inspection, "\"kind\": \"tensor\"", "\"kind\": \"Tensor\""},
      {"inspect.v1", inspection, "\"value\": true", "\"value\": {\"a\": 1}"},
      {"inspect.v1", inspection, "\"shape\"", "\"Shape\""},
  };
  for (const BadDocument& c : cases) {
    EXPECT_NE(validation_errors(c.schema, edited(c.text, c.source, c.target)), "")
        << c.schema << ": " << c.target;
  }
}

}  // namespace
}  // namespace samestep
