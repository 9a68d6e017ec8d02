// What the checksums of two files tell, and what they do not.
#include "resume_check/quick_diff.h"

#include <gmock/gmock.h>

#include "checkpoint/field_bytes.h"

namespace samestep {
namespace {

using testing::HasSubstr;

/// A tensor "model/<name>" that lies alone in a record with this checksum.
void add(RecordSums& sums, const std::string& name, std::optional<std::uint32_t> crc,
         std::vector<std::int64_t> shape = {2}) {
  StateEntry entry;
  entry.field.path = FieldPath("model/" + name);
  entry.field.kind = FieldKind::tensor;
  entry.field.dtype = Dtype::float32;
  entry.field.shape = std::move(shape);
  entry.field.layout.strides = {1};
  entry.field.layout.storage = static_cast<std::int64_t>(sums.records.size());
  sums.records.push_back({"data/" + name, 8, crc});
  sums.tree.add(std::move(entry));
}

void add_value(RecordSums& sums, const std::string& path, std::int64_t value) {
  StateEntry entry;
  entry.field.path = FieldPath(path);
  entry.field.kind = FieldKind::value;
  entry.field.value = value;
  entry.bytes = value_bytes(value);
  sums.tree.add(std::move(entry));
}

RecordSums sums_of(std::optional<std::uint32_t> a, std::optional<std::uint32_t> b,
                   std::int64_t step = 3) {
  RecordSums sums;
  add(sums, "a", a);
  add(sums, "b", b);
  add_value(sums, "loop/step", step);
  return sums;
}

TEST(QuickDiff, EqualChecksumsAreAHint) {
  const Report report = quick_diff(sums_of(1, 2), sums_of(1, 2));
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_THAT(report.reason, HasSubstr("a hint"));
  EXPECT_EQ(report.coverage.fields_equal, 3U);
  ASSERT_EQ(report.coverage.not_compared.size(), 1U);
  EXPECT_THAT(report.coverage.not_compared[0].second, HasSubstr("checksums were compared"));
}

TEST(QuickDiff, TheTensorWithAnotherChecksumIsNamed) {
  const Report report = quick_diff(sums_of(1, 2), sums_of(1, 0xABC));
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].field, "model/b");
  EXPECT_THAT(report.findings[0].evidence.at(0), HasSubstr("00000abc of data/b"));
  EXPECT_THAT(report.reason, HasSubstr("1 field differs"));
}

TEST(QuickDiff, ValuesOfThePickleAreCompared) {
  const Report report = quick_diff(sums_of(1, 2, 3), sums_of(1, 2, 4));
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].field, "loop/step");
}

TEST(QuickDiff, WithoutChecksumsItCannotTell) {
  const Report none = quick_diff(sums_of({}, {}), sums_of({}, {}));
  EXPECT_EQ(none.verdict, Verdict::undecided);
  EXPECT_THAT(none.reason, HasSubstr("cannot tell: no checksums were kept"));
  const Report some = quick_diff(sums_of(1, {}), sums_of(1, 2));
  EXPECT_EQ(some.verdict, Verdict::undecided);
  EXPECT_THAT(some.reason, HasSubstr("some tensors"));
  EXPECT_EQ(quick_diff(sums_of(1, {}), sums_of(7, {})).verdict, Verdict::diverged);
}

TEST(QuickDiff, ShapesAndMissingTensorsCount) {
  RecordSums left, right;
  add(left, "a", 1, {2});
  add(left, "only", 1);
  add(right, "a", 1, {2, 1});
  const Report report = quick_diff(left, right);
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.verdict, Verdict::diverged);
  const Report back = quick_diff(right, left);
  EXPECT_EQ(back.findings.size(), 2U);
}

}  // namespace
}  // namespace samestep
