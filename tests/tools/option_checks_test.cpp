#include "tools/option_checks.h"

#include <gtest/gtest.h>

#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

std::string checked(const CLI::Validator& check, std::string text) {
  EXPECT_EQ(check(text), "");
  return text;
}

TEST(WholeNumberTest, IsTakenInDecimal) {
  const auto check = whole_number("--at", 0, 1000);
  EXPECT_EQ(checked(check, "0"), "0");
  EXPECT_EQ(checked(check, "1000"), "1000");
  EXPECT_EQ(checked(check, "010"), "10");
}

TEST(WholeNumberTest, WhatIsWrongIsSaidInAFewWords) {
  const auto check = whole_number("--at", 1, 1000);
  for (const char* text : {"", "abc", "4.5", "4x", "+4", " 4", "0x10", "1e3", "-", "four"}) {
    EXPECT_ERROR(checked(check, text), usage, "is no whole number; give 1 or more");
  }
  for (const char* text : {"0", "-1", "-99999999999999999999"}) {
    EXPECT_ERROR(checked(check, text), usage, "is too small; give 1 or more");
  }
  for (const char* text : {"1001", "99999999999999999999"}) {
    EXPECT_ERROR(checked(check, text), usage, "is too large; give at most 1000");
  }
  EXPECT_ERROR(checked(check, "4.5"), usage, "--at: \"4.5\"");
}

TEST(SecondsTest, AreANumberAboveZero) {
  const auto check = seconds("--timeout");
  for (const char* text : {"1", "0.5", "3600", "1e3"}) EXPECT_EQ(checked(check, text), text);
  for (const char* text : {"", "0", "-1", "nan", "inf", "1e999", "10s", "ten"}) {
    EXPECT_ERROR(checked(check, text), usage, "is no time limit; give seconds, more than 0");
  }
}

TEST(OneOfTest, AnotherNameIsToldTheNames) {
  const auto check = one_of("--store", {"raw", "planes"});
  for (const char* text : {"raw", "planes"}) EXPECT_EQ(checked(check, text), text);
  for (const char* text : {"", "RAW", "raw ", "zip"})
    EXPECT_ERROR(checked(check, text), usage, "is none of its names; give raw or planes");
}

TEST(SomeTextTest, NothingIsNoText) {
  const auto check = some_text("--work", "name a folder");
  EXPECT_EQ(checked(check, " a "), " a ");
  for (const char* text : {"", " ", "\t\n"}) {
    EXPECT_ERROR(checked(check, text), usage, "--work: is empty; name a folder");
  }
}

}  // namespace
}  // namespace samestep
