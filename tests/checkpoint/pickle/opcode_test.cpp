#include "checkpoint/pickle/opcode.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace samestep::pickle {
namespace {

TEST(Opcode, NamesAreThoseOfPickletools) {
  EXPECT_STREQ(name_of(Opcode::binunicode), "BINUNICODE");
  EXPECT_STREQ(name_of(static_cast<Opcode>(0x93)), "STACK_GLOBAL");
  EXPECT_STREQ(name_of(static_cast<Opcode>(0x98)), "READONLY_BUFFER");
  EXPECT_EQ(name_of(static_cast<Opcode>(0xFF)), nullptr);
}

TEST(Opcode, ThereAre68OfThemWithNamesOfTheirOwn) {
  std::set<std::string> names;
  for (int code = 0; code < 256; ++code) {
    if (const char* name = name_of(static_cast<Opcode>(code)); name != nullptr) names.insert(name);
  }
  EXPECT_EQ(names.size(), 68u);
}

}  // namespace
}  // namespace samestep::pickle
