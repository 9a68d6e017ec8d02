// Every file of every sample that torch, NumPy or pickle wrote; sample.json says what a right
// reader finds.
#include "checkpoint/formats/python_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "schemas/error.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/sample.h"

namespace samestep {
namespace {

using testing::IsEmpty;

/// Attributes that Python's classes make while they load; they are not in the file.
bool is_made_by_loading(const std::string& wrong) {
  return wrong.starts_with("/enum/attr=") ||
         wrong.starts_with("/opt_obj/attr=_zero_grad_profile_name");
}

std::vector<std::string> python_files(const std::string& name) {
  std::vector<std::string> files;
  const JsonNode sample = test::sample_json(name);
  for (const JsonNode& file : sample.at("files").elements()) {
    const std::string path = file.at("path").as_string();
    if (looks_like_python_file(test::sample_file(name, path).bytes) &&
        !path.ends_with(".metadata")) {
      files.push_back(path);
    }
  }
  return files;
}

class HandedFile : public testing::TestWithParam<std::string> {};

TEST_P(HandedFile, HoldsEveryLeafOfTheSample) {
  const std::string name = "handed/" + GetParam();
  const JsonNode sample = test::sample_json(name);
  for (const std::string& file : python_files(name)) {
    if (file.ends_with(".distcp")) continue;
    const Document document = read_python_file(test::sample_file(name, file));
    auto wrong = test::wrong_leaves(sample, file, document);
    std::erase_if(wrong, is_made_by_loading);
    EXPECT_THAT(wrong, IsEmpty()) << file;
    EXPECT_THAT(document.problems, IsEmpty()) << file;
    EXPECT_FALSE(document.extents.empty()) << file;
  }
}

std::vector<std::string> with_python_files(const std::string& set) {
  std::vector<std::string> names;
  for (const std::string& name : foreign::samples(set, "")) {
    if (!python_files(set + "/" + name).empty()) names.push_back(name);
  }
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Samples, HandedFile, testing::ValuesIn(with_python_files("handed")),
                         test_name);

/// What a file does: "error", "damaged" (read, with problems), or "read".
std::string outcome_of(const FileSlice& file) {
  try {
    const Document document = read_python_file(file);
    return document.problems.empty() ? "read" : "damaged";
  } catch (const Error& error) {
    EXPECT_FALSE(error.where().empty()) << error.what();
    return "error";
  }
}

class HostileFile : public testing::TestWithParam<std::string> {};

TEST_P(HostileFile, IsJudgedAsTheSampleSays) {
  const std::string name = "hostile/" + GetParam();
  const JsonNode sample = test::sample_json(name);
  const std::string verdict = sample.at("verdict").as_string();
  const auto also = sample.find("also_acceptable");
  const bool may_also_read = also && !also->is_null();
  for (const JsonNode& listed : sample.at("files").elements()) {
    const std::string path = listed.at("path").as_string();
    if (!std::filesystem::exists(test::sample_folder(name) + "/" + path)) continue;
    const std::string outcome = outcome_of(test::sample_file(name, path));
    if (verdict == "error" && !may_also_read) {
      EXPECT_EQ(outcome, "error") << path << ": " << sample.at("should_say").as_string();
    } else if (verdict == "damaged") {
      EXPECT_NE(outcome, "") << path;
    } else if (!may_also_read) {
      EXPECT_EQ(outcome, "read") << path << ": " << sample.at("should_say").as_string();
    }
  }
}

std::vector<std::string> hostile_names() {
  std::vector<std::string> names;
  for (const std::string prefix : {"control", "legacy", "pair", "pickle", "tensor", "zip"}) {
    for (const std::string& name : foreign::samples("hostile", prefix)) {
      if (name != "pickle-code-rng-state") names.push_back(name);
    }
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Samples, HostileFile, testing::ValuesIn(hostile_names()), test_name);

}  // namespace
}  // namespace samestep
