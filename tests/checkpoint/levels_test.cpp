#include "checkpoint/levels.h"

#include <gmock/gmock.h>

#include <random>

#include "byte_helpers.h"

namespace samestep {
namespace {

using Bytes = std::vector<std::byte>;

std::byte byte(int value) { return static_cast<std::byte>(value); }

Bytes noise(std::size_t size) {
  std::mt19937 random(7);
  Bytes bytes(size);
  for (std::byte& each : bytes) each = byte(static_cast<int>(random() & 255));
  return bytes;
}

TEST(Levels, RowsAreTheInnermostDimensionsThatAreLongEnough) {
  using Shape = std::vector<std::int64_t>;
  const auto row = [](const Shape& shape, Dtype dtype = Dtype::float32) {
    return row_numbers(dtype, shape);
  };
  EXPECT_EQ(row({512, 2048}), 2048U);
  EXPECT_EQ(row({8, 512, 64}), 64U);
  EXPECT_EQ(row({512, 256, 3, 3}), 2304U);
  EXPECT_EQ(row({512, 64}, Dtype::complex64), 128U);
  EXPECT_EQ(row({1, 4096}), 0U) << "one row";
  EXPECT_EQ(row({4096}), 0U);
  EXPECT_EQ(row({}), 0U);
  EXPECT_EQ(row({7, 9}), 0U) << "short";
  EXPECT_EQ(row({0, 512}), 0U);
  EXPECT_EQ(row({512, 0}), 0U);
  EXPECT_EQ(row({2, std::int64_t{1} << 40}), 0U);
  EXPECT_EQ(row({4, std::int64_t{1} << 31, 63}), 0U) << "too long for a width";
}

TEST(Levels, WhatIsTakenIsGivenBack) {
  for (const std::uint32_t width : {1U, 3U, 16U, 64U, 100U, 129U}) {
    const Bytes columns = noise(width);
    for (std::size_t count = 0; count < 400; count += 7) {
      for (const std::uint32_t column : {0U, width / 2, width - 1}) {
        const Grid grid{width, column};
        const Bytes data = noise(count), rows = noise(grid.rows(count));
        const Levels levels{byte(200), columns, rows};
        Bytes less(count), again(count);
        subtract_levels(data, grid, levels, less.data());
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t at = column + i;
          const int sum =
              std::to_integer<int>(columns[at % width]) + std::to_integer<int>(rows[at / width]);
          ASSERT_EQ(less[i], byte(std::to_integer<int>(data[i]) - 200 - (sum & 255) / 4)) << i;
        }
        add_levels(less, grid, levels, again.data());
        ASSERT_EQ(again, data) << width << " " << count << " " << column;
        add_levels(less, grid, levels, less.data());
        ASSERT_EQ(less, data) << "in place";
      }
    }
  }
}

TEST(Levels, ThoseOfRowsAndColumnsAreFound) {
  const Grid grid{100, 30};
  const auto above = [](std::size_t at) { return static_cast<int>(at * at % 17); };
  Bytes data(1000);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = byte(90 + above((30 + i) % 100) + above((30 + i) / 100));
  ASSERT_TRUE(tell_columns(grid, data.size()));
  Bytes columns(100), rows(grid.rows(data.size())), less(data.size());
  find_columns(data, grid, columns);
  const std::byte base = find_rows(data, grid, columns, rows);
  subtract_levels(data, grid, {base, columns, rows}, less.data());
  EXPECT_EQ(less, Bytes(data.size()));
}

TEST(Levels, ThatAreFarApartDoNotGoRound) {
  const Grid grid{64, 0};
  Bytes data(640);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = byte(i % 64 < 32 ? 0 : 255);
  Bytes columns(64), rows(10);
  find_columns(data, grid, columns);
  find_rows(data, grid, columns, rows);
  for (const Bytes& levels : {columns, rows})
    EXPECT_THAT(levels, testing::Each(testing::Le(byte(127))));
}

TEST(Levels, FewRowsTellNothing) {
  EXPECT_FALSE(tell_columns({}, 1000));
  EXPECT_FALSE(tell_columns({300, 0}, 1199));
  EXPECT_TRUE(tell_columns({300, 299}, 1200));
}

}  // namespace
}  // namespace samestep
