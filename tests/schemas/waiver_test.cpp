#include "schemas/waiver.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

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
