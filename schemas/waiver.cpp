#include "schemas/waiver.h"

#include <cstddef>

namespace samestep {
namespace {

int number_at(std::string_view text, std::size_t offset, std::size_t digits) noexcept {
  int number = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = text[offset + i];
    if (c < '0' || c > '9') return -1;
    number = number * 10 + (c - '0');
  }
  return number;
}

int days_in(int year, int month) noexcept {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

}  // namespace

bool is_date(std::string_view text) noexcept {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int year = number_at(text, 0, 4), month = number_at(text, 5, 2),
            day = number_at(text, 8, 2);
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= days_in(year, month);
}

bool is_expired(const Waiver& waiver, std::string_view today) noexcept {
  return std::string_view(waiver.expires) < today;
}

}  // namespace samestep
