// The C++ cases in one process: verdict, field and fate are those that the audit of each expects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "case_trainer.h"
#include "resume_check/torch/resumes_exactly.h"
#include "schemas/json/node.h"
#include "tests/support/test_data.h"

namespace samestep::libtorch {
namespace {

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(test_data("cases/cpp")))
    if (entry.path().extension() == ".json") files.push_back(entry.path().stem().string());
  std::ranges::sort(files);
  return files;
}

JsonNode case_of(const std::string& name) {
  const std::string path = test_data("cases/cpp/" + name + ".json");
  std::ifstream file(path);
  return JsonNode::parse(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

/// Trainers of the case: the first one trains from the start, the others resume.
auto trainers_of(const JsonNode& one) {
  return [fault = one.at("fault").as_string(), count = 0]() mutable {
    const CaseOptions options{test_data("../LICENSE"), fault, count++ > 0};
    return std::make_unique<CaseTrainer>(options);
  };
}

Twin twin_of(const JsonNode& one, TwinMode mode = TwinMode::free_run) {
  TwinOptions options;
  options.at = one.at("at").as_int();
  options.steps = one.at("steps").as_int();
  options.mode = mode;
  return run_twin(trainers_of(one), options);
}

bool matches(const std::string& text, const JsonNode& pattern) {
  return std::regex_search(text, std::regex(pattern.as_string()));
}

class CaseTwins : public ::testing::TestWithParam<std::string> {};

TEST_P(CaseTwins, SayWhatTheAuditSays) {
  const JsonNode one = case_of(GetParam()), expect = one.at("expect");
  const Twin twin = twin_of(one);
  EXPECT_EQ(to_string(twin.report.verdict), expect.at("verdict").as_string()) << twin;
  std::vector<std::string> fates;
  for (const JsonNode& fate : expect.at("fate").elements()) fates.push_back(fate.as_string());
  for (const JsonNode& pattern : expect.at("fields").elements()) {
    bool found = false;
    for (const Finding& finding : twin.report.findings)
      found = found || (matches(finding.field, pattern) && finding.fate &&
                        std::ranges::count(fates, to_string(*finding.fate)) > 0);
    EXPECT_TRUE(found) << pattern.as_string() << '\n' << twin;
  }
  for (const Finding& finding : twin.report.findings)
    for (const JsonNode& pattern : expect.at("not_fields").elements())
      EXPECT_FALSE(finding.grade == Grade::confirmed && matches(finding.field, pattern))
          << finding.field << '\n'
          << twin;
}

TEST_P(CaseTwins, AreHealedOnceTheStateIsPutBack) {
  const Twin twin = twin_of(case_of(GetParam()), TwinMode::lock_step);
  const std::int64_t first = case_of(GetParam()).at("at").as_int() + 1;
  for (const Parting& parting : twin.partings)
    EXPECT_EQ(parting.where, (Boundary{0, first, "begin"})) << twin;
}

INSTANTIATE_TEST_SUITE_P(Cases, CaseTwins, ::testing::ValuesIn(case_files()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace samestep::libtorch
