// Levels: what the rows and the columns of a matrix have in common in one byte of each number. The
// second moments of an optimizer are large or small by rows and by columns: their exponents less
// these levels compress far better. PACK.md describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schemas/dtype.h"

namespace samestep {

/// Where a run of numbers lies in a matrix: `width` numbers a row, the first number in `column`.
struct Grid {
  std::uint32_t width = 0, column = 0;

  /// Rows that `count` numbers touch.
  std::size_t rows(std::size_t count) const noexcept {
    return (column + count + width - 1) / width;
  }
};

/// Levels of columns and rows, in quarters, above `base`.
struct Levels {
  std::byte base{};
  std::span<const std::byte> columns;  ///< Grid::width of them
  std::span<const std::byte> rows;     ///< Grid::rows() of them
};

/// Numbers in a row of such a tensor, 0 where it has no rows to speak of: the innermost dimensions
/// that have at least 64 elements together, fewer than all of them.
std::size_t row_numbers(Dtype dtype, std::span<const std::int64_t> shape) noexcept;

/// Whether `count` numbers tell the levels of columns: four rows of them.
bool tell_columns(const Grid& grid, std::size_t count) noexcept;

/// Fills `columns` (grid.width) from the rows that lie in `bytes` as a whole, for which
/// tell_columns() holds.
void find_columns(std::span<const std::byte> bytes, const Grid& grid,
                  std::span<std::byte> columns) noexcept;
/// Fills `rows` (grid.rows(bytes.size())) so that the differences are small; the base.
std::byte find_rows(std::span<const std::byte> bytes, const Grid& grid,
                    std::span<const std::byte> columns, std::span<std::byte> rows) noexcept;

/// `out` = `bytes` less the levels, byte by byte modulo 256. They may be the same memory.
void subtract_levels(std::span<const std::byte> bytes, const Grid& grid, const Levels& levels,
                     std::byte* out) noexcept;
/// The inverse.
void add_levels(std::span<const std::byte> bytes, const Grid& grid, const Levels& levels,
                std::byte* out) noexcept;

}  // namespace samestep
