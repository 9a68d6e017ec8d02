#include "tools/render/text_parts.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(TextPartsTest, BytesHaveOneDecimal) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(1023), "1023 bytes");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text((1u << 20) - 1), "1.0 MiB");
  EXPECT_EQ(bytes_text(std::uint64_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(bytes_text(UINT64_MAX), "16384.0 PiB");
}

TEST(TextPartsTest, ADigestIsCut) {
  EXPECT_EQ(digest_text("00112233445566778899aabbccddeeff"), "0011223344556677...");
  EXPECT_EQ(digest_text("0011223344556677"), "0011223344556677");
}

TEST(TextPartsTest, ContentSaysWhatAFieldHolds) {
  Field field;
  field.kind = FieldKind::tensor;
  field.dtype = Dtype::float32;
  field.shape = {2, 3};
  EXPECT_EQ(content_text(field), "float32 [2, 3]");
  field.shape = {};
  field.value = 4.0;
  EXPECT_EQ(content_text(field), "4.0  (float32 [])");
  field.kind = FieldKind::value;
  EXPECT_EQ(content_text(field), "4.0");
  field.kind = FieldKind::opaque;
  field.value.reset();
  field.class_name = "os.system\n";
  EXPECT_EQ(content_text(field), "opaque object of os.system\\x0A");
}

TEST(TextPartsTest, ColumnsAreAligned) {
  EXPECT_EQ(two_columns({{"a", "1"}, {"long", "2"}, {"b", ""}}, Screen{}),
            "  a     1\n  long  2\n  b\n");
}

TEST(TextPartsTest, BulletsAreLeftOutWhenThereAreNone) {
  EXPECT_EQ(bullets("Notes", {}, Screen{}), "");
  EXPECT_EQ(bullets("Notes", {"a\tb"}, Screen{}), "\nNotes\n  - a\\x09b\n");
}

TEST(TextPartsTest, AVerdictHasTheWordOfItsVerb) {
  Report report;
  const auto words = [&](const char* verb) {
    report.verb = verb;
    std::string said;
    for (const Verdict verdict : {Verdict::same, Verdict::diverged, Verdict::undecided}) {
      report.verdict = verdict;
      said += verdict_word(report) + " ";
    }
    return said;
  };
  EXPECT_EQ(words("audit"), "same diverged undecided ");
  EXPECT_EQ(words("diff"), "same diverged undecided ");
  EXPECT_EQ(words("verify"), "intact damaged undecided ");
  EXPECT_EQ(words("gate"), "passed refused undecided ");
}

TEST(TextPartsTest, AVerifyCallsItsCoverageByItsOwnWords) {
  Report report;
  report.verb = "verify";
  EXPECT_STREQ(coverage_words(report).left_out, "not checked");
  report.verb = "diff";
  EXPECT_STREQ(coverage_words(report).left_out, "not compared");
}

}  // namespace
}  // namespace samestep
