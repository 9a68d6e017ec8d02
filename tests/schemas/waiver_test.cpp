#include "schemas/waiver.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

struct MatchCase {
  const char *pattern, *path;
  bool matches;
};

TEST(WaiverTest, StarStandsForAnyText) {
  const MatchCase cases[] = {
      {"a/b", "a/b", true},
      {"a/b", "a/bc", false},
      {"a/*", "a/", true},
      {"a/*", "a/b/c", true},
      {"*", "", true},
      {"*/lr", "o/0/lr", true},
      {"*/lr", "o/0/lrx", false},
      {"a*b*c", "abbc", true},
      {"a*b*c", "acb", false},
      {"", "", true},
      {"", "a", false},
      {"**", "x", true},
      {"a?", "ab", false},
      {"*ab", "aab", true},
      {"*a*b", "aaaab", true},
  };
  for (const MatchCase& c : cases) {
    EXPECT_EQ(waiver_matches(c.pattern, c.path), c.matches) << c.pattern << " on " << c.path;
  }
}

TEST(WaiverTest, ManyStarsStayCheap) {
  std::string pattern;
  for (int i = 0; i < 2000; ++i) pattern += "*a";
  EXPECT_FALSE(waiver_matches(pattern + "b", std::string(20000, 'a')));
}

TEST(WaiverTest, DatesAreOfTheCalendar) {
  for (const char* good : {"2024-02-29", "2000-02-29", "2026-12-31", "0001-01-01"}) {
    EXPECT_TRUE(is_date(good)) << good;
  }
  for (const char* bad : {"", "2023-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-04-31",
                          "2026-1-1", "2026/01/01", "2026-01-0x", "0000-01-01", "2026-01-011"}) {
    EXPECT_FALSE(is_date(bad)) << bad;
  }
}

TEST(WaiverTest, HoldsThroughItsLastDay) {
  const Waiver waiver{"*", "r", "", "2026-05-31"};
  EXPECT_FALSE(is_expired(waiver, "2026-05-31"));
  EXPECT_TRUE(is_expired(waiver, "2026-06-01"));
  EXPECT_FALSE(is_expired(waiver, "2025-12-31"));
}

}  // namespace
}  // namespace samestep
