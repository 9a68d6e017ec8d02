#include "checkpoint/levels.h"

#include <algorithm>
#include <limits>

#include "checkpoint/byte_lanes.h"

namespace samestep {
namespace {

constexpr std::int64_t kRowElementsMin = 64;
constexpr std::size_t kRowsMin = 4;
constexpr std::int64_t kRowsMax = 257;  // their sums fit in 16 bits
constexpr int kLevelMax = 127;          // so that a row's and a column's add up in a byte

/// The part of a row that lies in `bytes`: places in it, and the column that it begins in.
struct Segment {
  std::size_t row, begin, end, column;
};

template <typename Visit>
void each_segment(const Grid& grid, std::size_t count, Visit visit) {
  std::size_t row = 0, column = grid.column;
  for (std::size_t begin = 0; begin < count; ++row, column = 0) {
    const std::size_t end = std::min<std::size_t>(begin + grid.width - column, count);
    visit(Segment{row, begin, end, column});
    begin = end;
  }
}

std::uint32_t sum_of(std::span<const std::byte> bytes) noexcept {
  using Words __attribute__((vector_size(kLanes))) = std::uint16_t;
  constexpr std::size_t kBlock = 64 * kLanes;  // 128 * 2 * 255 would fit
  std::uint32_t sum = 0;
  std::size_t i = 0;
  while (i + kLanes <= bytes.size()) {
    Words words{};
    const std::size_t end = std::min(i + kBlock, bytes.size());
    for (; i + kLanes <= end; i += kLanes) {
      const auto pair = reinterpret_cast<Words>(load_lanes(bytes.data() + i));
      words += (pair & 255) + (pair >> 8);
    }
    for (std::size_t k = 0; k < kLanes / 2; ++k) sum += words[k];
  }
  for (; i < bytes.size(); ++i) sum += std::to_integer<std::uint32_t>(bytes[i]);
  return sum;
}

/// sums[i] += bytes[i]
void add_bytes(std::span<const std::byte> bytes, std::uint16_t* sums) noexcept {
  using Words __attribute__((vector_size(kLanes))) = std::uint16_t;
  constexpr Lanes kZero{};
  std::size_t i = 0;
  for (; i + kLanes <= bytes.size(); i += kLanes) {
    const Lanes lanes = load_lanes(bytes.data() + i);
    const Lanes halves[] = {__builtin_shufflevector(lanes, kZero, 0, 16, 1, 16, 2, 16, 3, 16, 4, 16,
                                                    5, 16, 6, 16, 7, 16),
                            __builtin_shufflevector(lanes, kZero, 8, 16, 9, 16, 10, 16, 11, 16, 12,
                                                    16, 13, 16, 14, 16, 15, 16)};
    for (std::size_t half = 0; half < 2; ++half) {
      std::uint16_t* const at = sums + i + half * kLanes / 2;
      Words words;
      std::memcpy(&words, at, kLanes);
      words += reinterpret_cast<Words>(halves[half]);
      std::memcpy(at, &words, kLanes);
    }
  }
  for (; i < bytes.size(); ++i)
    sums[i] = static_cast<std::uint16_t>(sums[i] + std::to_integer<unsigned>(bytes[i]));
}

int rounded(std::int64_t sum, std::int64_t count) noexcept {
  const std::int64_t twice = 2 * sum + count;
  std::int64_t whole = twice / (2 * count);
  if (twice % (2 * count) < 0) --whole;
  return static_cast<int>(whole);
}

std::byte level(int above) noexcept {
  return static_cast<std::byte>(std::clamp(above, 0, kLevelMax));
}

template <bool kAdd>
std::byte moved(std::byte byte, std::byte base, std::byte column, std::byte row) noexcept {
  const unsigned sum = std::to_integer<unsigned>(column) + std::to_integer<unsigned>(row);
  const unsigned above = std::to_integer<unsigned>(base) + (sum & 255) / 4;
  const unsigned value = std::to_integer<unsigned>(byte);
  return static_cast<std::byte>(kAdd ? value + above : value - above);
}

Lanes all(std::byte byte) noexcept { return Lanes{} + std::to_integer<unsigned char>(byte); }

template <bool kAdd>
void move_levels(std::span<const std::byte> bytes, const Grid& grid, const Levels& levels,
                 std::byte* out) noexcept {
  each_segment(grid, bytes.size(), [&](const Segment& part) {
    const std::byte row = levels.rows[part.row];
    const std::byte* const columns = levels.columns.data() + part.column;
    const Lanes rows = all(row), base = all(levels.base);
    std::size_t i = part.begin;
    for (; i + kLanes <= part.end; i += kLanes) {
      const Lanes above = base + ((load_lanes(columns + i - part.begin) + rows) >> 2);
      const Lanes values = load_lanes(bytes.data() + i);
      store_lanes(kAdd ? values + above : values - above, out + i);
    }
    for (; i < part.end; ++i)
      out[i] = moved<kAdd>(bytes[i], levels.base, columns[i - part.begin], row);
  });
}

}  // namespace

std::size_t row_numbers(Dtype dtype, std::span<const std::int64_t> shape) noexcept {
  std::int64_t elements = 1;
  std::size_t at = shape.size();
  while (at > 0 && elements < kRowElementsMin) {
    const std::int64_t size = shape[--at];
    if (size <= 0 || size > std::numeric_limits<std::int32_t>::max() / elements) return 0;
    elements *= size;
  }
  const bool has_rows =
      std::ranges::any_of(shape.first(at), [](std::int64_t size) { return size > 1; });
  if (elements < kRowElementsMin || !has_rows) return 0;
  const bool is_complex =
      dtype == Dtype::complex32 || dtype == Dtype::complex64 || dtype == Dtype::complex128;
  return static_cast<std::size_t>(elements) * (is_complex ? 2 : 1);
}

bool tell_columns(const Grid& grid, std::size_t count) noexcept {
  return grid.width > 0 && count / grid.width >= kRowsMin;
}

void find_columns(std::span<const std::byte> bytes, const Grid& grid,
                  std::span<std::byte> columns) noexcept {
  std::vector<std::uint16_t> sums(grid.width);
  std::int64_t rows = 0;
  each_segment(grid, bytes.size(), [&](const Segment& part) {
    if (part.end - part.begin < grid.width || rows == kRowsMax) return;
    ++rows;
    add_bytes(bytes.subspan(part.begin, grid.width), sums.data());
  });
  const std::uint64_t scale =
      (4u << 16) / static_cast<std::uint64_t>(std::max<std::int64_t>(rows, 1));
  const auto mean = [scale](std::uint16_t sum) {
    return static_cast<int>((sum * scale + (1u << 15)) >> 16);
  };
  const int lowest = mean(*std::ranges::min_element(sums));
  for (std::size_t i = 0; i < grid.width; ++i) columns[i] = level(mean(sums[i]) - lowest);
}

std::byte find_rows(std::span<const std::byte> bytes, const Grid& grid,
                    std::span<const std::byte> columns, std::span<std::byte> rows) noexcept {
  const std::uint32_t all_columns = sum_of(columns);
  std::vector<int> means(rows.size());
  each_segment(grid, bytes.size(), [&](const Segment& part) {
    const std::size_t count = part.end - part.begin;
    const std::uint32_t above =
        count == grid.width ? all_columns : sum_of(columns.subspan(part.column, count));
    const std::int64_t sum = 4 * std::int64_t{sum_of(bytes.subspan(part.begin, count))} - above;
    means[part.row] = rounded(sum, static_cast<std::int64_t>(count)) + 2;  // + 2: to the nearest
  });
  const int lowest = *std::ranges::min_element(means);
  const int base = lowest >= 0 ? lowest / 4 : -((3 - lowest) / 4);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = level(means[i] - 4 * base);
  return static_cast<std::byte>(base);
}

void subtract_levels(std::span<const std::byte> bytes, const Grid& grid, const Levels& levels,
                     std::byte* out) noexcept {
  move_levels<false>(bytes, grid, levels, out);
}

void add_levels(std::span<const std::byte> bytes, const Grid& grid, const Levels& levels,
                std::byte* out) noexcept {
  move_levels<true>(bytes, grid, levels, out);
}

}  // namespace samestep
