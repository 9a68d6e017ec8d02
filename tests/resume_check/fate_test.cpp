#include "resume_check/fate.h"

#include <gtest/gtest.h>

#include <set>

#include "schemas/check.h"

namespace samestep {
namespace {

/// '-' absent, letters are values: "aab" is captured a, checkpointed a, restored b.
Copies copies_of(const std::string& pattern, char loaded = '-') {
  const auto copy = [](char c) {
    return c == '-' ? std::nullopt : std::optional(Digest{static_cast<std::uint64_t>(c), 1});
  };
  return {copy(pattern[0]), copy(pattern[1]), copy(pattern[2]), copy(loaded)};
}

struct Row {
  const char* pattern;
  Fate fate;
};

/// All patterns of presence and equality of three copies, but that of nothing at all.
constexpr Row kRows[] = {
    {"aaa", Fate::kept},       {"aab", Fate::lost_after_save}, {"aa-", Fate::dropped},
    {"aba", Fate::healed},     {"abb", Fate::miswritten},      {"abc", Fate::miswritten},
    {"ab-", Fate::miswritten}, {"a-a", Fate::rederived},       {"a-b", Fate::missing},
    {"a--", Fate::missing},    {"-aa", Fate::extra},           {"-ab", Fate::extra},
    {"--a", Fate::extra},      {"-a-", Fate::unwatched},
};

TEST(Fate, EachPatternHasItsFate) {
  for (const auto& row : kRows) EXPECT_EQ(fate_of(copies_of(row.pattern)), row.fate) << row.pattern;
}

/// The pattern in normal form: values renamed a, b, c in order of first occurrence.
std::string normal(std::string pattern) {
  std::string names, seen;
  for (char& c : pattern) {
    if (c == '-') continue;
    auto at = seen.find(c);
    if (at == std::string::npos) at = seen.size(), seen += c;
    c = static_cast<char>('a' + at);
  }
  return pattern;
}

TEST(Fate, TheTableIsComplete) {
  std::set<std::string> patterns, listed;
  const std::string letters = "-xyz";
  for (char c : letters) {
    for (char k : letters) {
      for (char r : letters) patterns.insert(normal({c, k, r}));
    }
  }
  for (const auto& row : kRows) listed.insert(row.pattern);
  EXPECT_EQ(patterns.size(), 15u);
  patterns.erase("---");
  EXPECT_EQ(listed, patterns);
}

TEST(Fate, NothingAtAllIsOurMistake) { EXPECT_THROW(fate_of({}), CheckFailure); }

TEST(Fate, TheLookAfterTheLoadSplitsOneFateOnly) {
  EXPECT_EQ(fate_of(copies_of("aab", 'a')), Fate::overwritten);
  EXPECT_EQ(fate_of(copies_of("aab", 'b')), Fate::not_applied);
  EXPECT_EQ(fate_of(copies_of("aab", 'c')), Fate::not_applied);
  for (const auto& row : kRows) {
    if (row.fate == Fate::lost_after_save) continue;
    for (const char loaded : {'a', 'b', 'c'}) {
      EXPECT_EQ(fate_of(copies_of(row.pattern, loaded)), row.fate) << row.pattern << loaded;
    }
  }
}

}  // namespace
}  // namespace samestep
