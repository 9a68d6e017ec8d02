// The summary of a capture's fields: the vectors of a second implementation, and what it depends
// on.
#include "checkpoint/field_summary.h"

#include <gtest/gtest.h>

#include <functional>

#include "schemas/check.h"

namespace samestep {
namespace {

Field field(const char* path, FieldKind kind, Digest digest,
            std::vector<std::int64_t> strides = {}) {
  Field made;
  made.path = FieldPath(path);
  made.kind = kind;
  made.digest = digest;
  made.layout.strides = std::move(strides);
  return made;
}

std::vector<Field> two_fields() {
  return {field("loop/step", FieldKind::value, {1, 2}),
          field("model/w", FieldKind::tensor, {3, 4}, {1, -2})};
}

TEST(FieldSummary, VectorsOfTheScheme) {
  EXPECT_EQ(summary_of({}).fields.hex(), "45cdd2e492a8bbfc29cc0124ca8bf34b");
  EXPECT_EQ(summary_of(two_fields()).fields.hex(), "75636b9ba3eb25a88a529d18d4be1372");
}

TEST(FieldSummary, CountsFieldsByComponentAndThoseNobodyOpened) {
  std::vector<Field> fields = two_fields();
  fields.push_back(field("model/x", FieldKind::opaque, {5, 6}));
  const CaptureSummary summary = summary_of(fields);
  EXPECT_EQ(summary.components, (std::map<std::string, std::uint64_t>{{"loop", 1}, {"model", 2}}));
  EXPECT_EQ(summary.opaque, 1u);
}

TEST(FieldSummary, WhatADiffLooksAtChangesIt) {
  const std::function<void(Field&)> changes[] = {
      [](Field& f) { f.path = FieldPath("model/v"); },
      [](Field& f) { f.kind = FieldKind::value; },
      [](Field& f) { f.digest->low ^= 1; },
      [](Field& f) { f.digest->high ^= 1; },
      [](Field& f) { f.layout.strides[1] = 2; },
      [](Field& f) { f.layout.strides.pop_back(); },
  };
  const Digest before = summary_of(two_fields()).fields;
  for (const auto& change : changes) {
    std::vector<Field> fields = two_fields();
    change(fields[1]);
    EXPECT_NE(summary_of(fields).fields, before) << (&change - changes);
  }
}

TEST(FieldSummary, AFieldWithoutDigestIsOurMistake) {
  std::vector<Field> fields = two_fields();
  fields[0].digest.reset();
  EXPECT_THROW(summary_of(fields), CheckFailure);
}

}  // namespace
}  // namespace samestep
