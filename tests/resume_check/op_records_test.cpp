#include "resume_check/op_records.h"

#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

StepLog log_with(const std::string& name, const std::string& json) {
  StepLog log;
  log.events.push_back({"copied", "{}"});
  log.events.push_back({name, json});
  return log;
}

TEST(OpRecords, AreReadFromTheLog) {
  const auto records = operators_of(log_with("operators", R"({"threads":2,"operators":[
    {"n":7,"name":"aten::add","overload":"Tensor","phase":"backward","lane":1,"inside":"lab::all",
     "module":"head","random":true,
     "in":[{"name":"self","dtype":"float32","shape":[2],"strides":[1],"reading":"laid",
            "digest":"00000000000000000000000000000001"},
           {"name":"alpha","value":"0.5","bits":"00000000000000003fe0000000000000"}],
     "out":[{"name":"output 0","dtype":"float32","shape":[],"reading":"unset"}]}]})"));
  EXPECT_TRUE(records.traced);
  EXPECT_EQ(records.threads, 2);
  ASSERT_EQ(records.operators.size(), 1u);
  const OpRecord& op = records.operators[0];
  EXPECT_EQ(op.full_name(), "aten::add.Tensor");
  EXPECT_EQ(op.number, 7u);
  EXPECT_EQ(op.lane, 1u);
  EXPECT_TRUE(op.random);
  EXPECT_EQ(op.inside + op.module + op.phase, "lab::allheadbackward");
  EXPECT_EQ(op.inputs.at(0).reading, "laid");
  EXPECT_EQ(op.inputs.at(0).digest, (Digest{0, 1}));
  EXPECT_EQ(op.inputs.at(1).text, "0.5");
  EXPECT_TRUE(op.inputs.at(1).digest);
  EXPECT_EQ(op.outputs.at(0).reading, "unset");
  EXPECT_FALSE(op.outputs.at(0).digest);
}

TEST(OpRecords, PartsAreJoined) {
  StepLog log = log_with("operators", R"({"threads":1,"operators":[]})");
  log.events.push_back({"operators", R"({"threads":1,"error":"no memory","operators":[
    {"n":1,"name":"aten::mm","overload":"","phase":"forward","in":[],"out":[]}]})"});
  const auto records = operators_of(log);
  EXPECT_EQ(records.operators.size(), 1u);
  EXPECT_EQ(records.operators[0].full_name(), "aten::mm");
  EXPECT_EQ(records.error, "no memory");
}

TEST(OpRecords, ALogWithoutThemSaysWhy) {
  EXPECT_FALSE(operators_of({}).traced);
  const auto records = operators_of(log_with("operators_untraced", R"({"reason":"not built"})"));
  EXPECT_FALSE(records.traced);
  EXPECT_EQ(records.untraced, "not built");
}

TEST(OpRecords, WhatIsDamagedIsRefused) {
  for (const char* text : {R"({"threads":1})", R"({"threads":1,"operators":[{"n":1}]})",
                           R"({"threads":1,"operators":[{"n":1,"name":"a","overload":"",
                              "phase":"x","in":[{"name":"s","dtype":"f"}],"out":[]}]})"}) {
    EXPECT_THROW(operators_of(log_with("operators", text)), Error) << text;
  }
}

}  // namespace
}  // namespace samestep
