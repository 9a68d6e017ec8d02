// Every pinned name and value of the words that are stored.
#include <gtest/gtest.h>

#include "schemas/boundary.h"
#include "schemas/dtype.h"
#include "schemas/error.h"
#include "schemas/fate.h"
#include "schemas/field.h"
#include "schemas/hex.h"
#include "schemas/report.h"
#include "schemas/role.h"
#include "schemas/utf8.h"

namespace samestep {
namespace {

TEST(NamesTest, RolesAreFrozen) {
  const char* names[] = {"parameter",      "buffer",   "moment",   "step_counter",
                         "hyperparameter", "schedule", "rng",      "cursor",
                         "scaler",         "average",  "gradient", "other"};
  for (unsigned i = 0; i < 12; ++i) {
    EXPECT_EQ(to_string(static_cast<Role>(i)), names[i]);
    EXPECT_EQ(role_from(names[i]), static_cast<Role>(i));
  }
  EXPECT_THROW(role_from("Parameter"), Error);
}

TEST(NamesTest, FatesAreFrozenAndEachIsExplained) {
  const char* names[] = {"kept",        "rederived",       "missing",  "overwritten",
                         "not_applied", "lost_after_save", "dropped",  "miswritten",
                         "healed",      "extra",           "unwatched"};
  for (unsigned i = 0; i < 11; ++i) {
    const Fate fate = static_cast<Fate>(i);
    EXPECT_EQ(to_string(fate), names[i]);
    EXPECT_EQ(fate_from(names[i]), fate);
    EXPECT_GT(describe(fate).size(), 10u) << names[i];
  }
  EXPECT_THROW(fate_from(""), Error);
}

TEST(NamesTest, ReportWordsAreFrozen) {
  const char* verdicts[] = {"same", "diverged", "undecided"};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(to_string(static_cast<Verdict>(i)), verdicts[i]);
    EXPECT_EQ(verdict_from(verdicts[i]), static_cast<Verdict>(i));
  }
  const char* kinds[] = {"gap", "breach", "divergence", "cause"};
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(to_string(static_cast<FindingKind>(i)), kinds[i]);
    EXPECT_EQ(finding_kind_from(kinds[i]), static_cast<FindingKind>(i));
  }
  EXPECT_EQ(grade_from("confirmed"), Grade::confirmed);
  EXPECT_EQ(grade_from("warning"), Grade::warning);
  EXPECT_THROW(verdict_from("equal"), Error);
  EXPECT_THROW(grade_from("error"), Error);
  EXPECT_THROW(finding_kind_from("hole"), Error);
}

TEST(NamesTest, FieldKindsAreFrozen) {
  const char* kinds[] = {"tensor", "value", "opaque"};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(to_string(static_cast<FieldKind>(i)), kinds[i]);
    EXPECT_EQ(field_kind_from(kinds[i]), static_cast<FieldKind>(i));
  }
  EXPECT_THROW(field_kind_from("scalar"), Error);
}

TEST(DtypeTest, NamesSizesAndPinnedValues) {
  struct Row {
    const char* name;
    unsigned value, bytes;
    bool floating;
  };
  const Row rows[] = {{"bool", 1, 1, false},
                      {"uint8", 2, 1, false},
                      {"int64", 6, 8, false},
                      {"uint16", 7, 2, false},
                      {"float16", 10, 2, true},
                      {"bfloat16", 11, 2, true},
                      {"float32", 12, 4, true},
                      {"float64", 13, 8, true},
                      {"complex32", 14, 4, true},
                      {"complex64", 15, 8, true},
                      {"complex128", 16, 16, true},
                      {"float8_e4m3fn", 17, 1, true},
                      {"float8_e8m0fnu", 21, 1, true},
                      {"float4_e2m1fn_x2", 22, 1, true},
                      {"qint8", 23, 1, false},
                      {"qint32", 25, 4, false},
                      {"bits8", 28, 1, false},
                      {"text", 29, 0, false},
                      {"none", 0, 0, false}};
  for (const Row& row : rows) {
    const Dtype dtype = static_cast<Dtype>(row.value);
    EXPECT_EQ(to_string(dtype), row.name);
    EXPECT_EQ(element_bytes(dtype), row.bytes) << row.name;
    EXPECT_EQ(is_floating(dtype), row.floating) << row.name;
    EXPECT_EQ(dtype_from(row.name), dtype);
    EXPECT_EQ(dtype_from(std::string("torch.") + row.name), dtype);
  }
  EXPECT_FALSE(dtype_from("float128"));
  EXPECT_FALSE(dtype_from(""));
}

TEST(DigestTest, HexGoesBothWays) {
  const Digest digest{0x0123456789abcdefu, 0xfedcba9876543210u};
  EXPECT_EQ(digest.hex(), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(Digest::from_hex(digest.hex()), digest);
  for (const char* bad :
       {"", "0123456789ABCDEFfedcba9876543210", "0123456789abcdeffedcba987654321",
        "0123456789abcdeffedcba98765432100", "g123456789abcdeffedcba9876543210"}) {
    EXPECT_THROW(Digest::from_hex(bad), Error) << bad;
  }
}

TEST(HexTest, OddOrForeignDigitsAreNothing) {
  EXPECT_EQ(hex_of(std::uint64_t{255}), "00000000000000ff");
  EXPECT_EQ(bytes_from_hex("00ff")->size(), 2u);
  EXPECT_FALSE(bytes_from_hex("0"));
  EXPECT_FALSE(bytes_from_hex("0G"));
  EXPECT_FALSE(number_from_hex("ff"));
}

TEST(Utf8Test, RefusesWhatIsNotWellFormed) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("\xF0\x9F\x98\x80"));
  for (const char* bad : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xBF\xBF", "\xF5\x80\x80\x80",
                          "\xE2\x82", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

TEST(BoundaryTest, TextSaysWhere) {
  const Boundary boundary{3, 1201, "forward:layers.0.dropout"};
  EXPECT_EQ(boundary.text(), "step 1201, forward:layers.0.dropout");
  EXPECT_EQ(boundary.text(true), "rank 3, step 1201, forward:layers.0.dropout");
}

}  // namespace
}  // namespace samestep
