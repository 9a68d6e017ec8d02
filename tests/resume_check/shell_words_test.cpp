#include "resume_check/shell_words.h"

#include <gtest/gtest.h>

#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

using Words = std::vector<std::string>;

struct SplitCase {
  const char* text;
  Words words;
};

TEST(ShellWordsTest, SplitsAsAShellDoes) {
  const SplitCase cases[] = {
      {"", {}},
      {" \t\n ", {}},
      {"python train.py --out {out}", {"python", "train.py", "--out", "{out}"}},
      {"a 'b c' d", {"a", "b c", "d"}},
      {"a \"b 'c\" d", {"a", "b 'c", "d"}},
      {"'it'\"'\"'s'", {"it's"}},
      {"a\\ b", {"a b"}},
      {"\"a\\\"b\\$c\\d\"", {"a\"b$c\\d"}},
      {"'a\\b'", {"a\\b"}},
      {"''", {""}},
      {"a''b", {"ab"}},
      {"$HOME; ls | x > y", {"$HOME;", "ls", "|", "x", ">", "y"}},
      {"--lr=1e-3", {"--lr=1e-3"}},
  };
  for (const SplitCase& c : cases) EXPECT_EQ(shell_words(c.text), c.words) << c.text;
}

TEST(ShellWordsTest, AQuoteThatNeverEndsIsAMistake) {
  EXPECT_ERROR(shell_words("a 'b"), usage, "a single quote never ends");
  EXPECT_ERROR(shell_words("a \"b"), usage, "a double quote never ends");
  EXPECT_ERROR(shell_words("$'a"), usage, "a single quote never ends");
  EXPECT_ERROR(shell_words("$'\\x1z'"), usage, "two digits must follow");
  EXPECT_ERROR(shell_words("\"a\\"), usage, "a double quote never ends");
  EXPECT_ERROR(shell_words("a\\"), usage, "a backslash ends the text");
}

TEST(ShellTextTest, WhatIsJoinedSplitsAgain) {
  const Words cases[] = {{"a", "b c", "", "it's", "\"", "\\", "$x", "new\nline", "{out}", "*"},
                         {"a\x1b[1m'b\\\n\xff"},
                         {"--out=a b"},
                         {}};
  for (const Words& words : cases) EXPECT_EQ(shell_words(shell_text(words)), words);
  EXPECT_EQ(shell_text({"samestep", "inspect", "out/a.pt"}), "samestep inspect out/a.pt");
  EXPECT_EQ(shell_text({"a b", "it's"}), "'a b' 'it'\\''s'");
}

TEST(ShellTextTest, WhatNoTerminalShowsIsEscaped) {
  EXPECT_EQ(shell_text({"inspect", "a\x1b[1m'b\\\n\xff"}),
            "inspect $'a\\x1B[1m\\'b\\\\\\x0A\\xFF'");
  EXPECT_EQ(shell_text({"\xC3\xA9 x"}), "'\xC3\xA9 x'");
}

}  // namespace
}  // namespace samestep
