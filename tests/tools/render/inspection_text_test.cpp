#include "tools/render/inspection_text.h"

#include <gmock/gmock.h>

#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(InspectionTextTest, ShowsComponentsCountersAndWhatIsAbsent) {
  EXPECT_EQ(inspection_text(sample_inspection(), Screen{}, false),
            "out/checkpoint-4\n"
            "  format  HF Trainer folder\n"
            "  step    4, says loop/global_step\n"
            "\n"
            "  component   fields         size\n"
            "  extra            1      0 bytes\n"
            "  loop             6     54 bytes\n"
            "  optimizer        1     24 bytes\n"
            "\n"
            "Counters, schedule and position\n"
            "  loop/none   None\n"
            "  loop/flag   true\n"
            "  loop/int    -4\n"
            "  loop/float  0.1\n"
            "  loop/list   [0.9, 1.0]\n"
            "\n"
            "Absent\n"
            "  rng/numpy  NumPy's stream starts again from its seed\n"
            "\n"
            "Warnings\n"
            "  - optimizer steps disagree\n"
            "\n"
            "Notes\n"
            "  - no checksums were kept\n"
            "\n"
            "8 fields in 3 components, 78 bytes, 2 warnings\n");
}

TEST(InspectionTextTest, ListsEachFieldWhenAsked) {
  const std::string text = inspection_text(sample_inspection(), Screen{}, true);
  EXPECT_THAT(text, HasSubstr("\nFields\n"));
  EXPECT_THAT(text, HasSubstr("  extra/args                           opaque object of "
                              "transformers.TrainingArguments\n"));
  EXPECT_THAT(text,
              HasSubstr("float32 [2, 3]  xxh3 0000000000000001...  sha256 aaaaaaaaaaaaaaaa..."));
}

TEST(InspectionTextTest, EqualCountersOfOneSlotAreOneLine) {
  Inspection inspection;
  for (const char* name : {"a", "b", "c"}) {
    InspectedField entry;
    entry.field.path = FieldPath::of({"optimizer", "state", name, "step"});
    entry.field.role = Role::step_counter;
    entry.field.value = name[0] == 'c' ? 5.0 : 4.0;
    inspection.fields.push_back(entry);
  }
  const std::string text = inspection_text(inspection, Screen{}, false);
  EXPECT_THAT(text, HasSubstr("  optimizer/state/*/step  4.0  (2 fields)\n"));
  EXPECT_THAT(text, HasSubstr("  optimizer/state/*/step  5.0\n"));
  EXPECT_THAT(text, HasSubstr("  step    not known\n"));
}

TEST(InspectionTextTest, HostileNamesStayOnTheirLine) {
  Inspection inspection = sample_inspection();
  inspection.path = "a\n\x1b[2J";
  inspection.components["x\ny"] = {1, 1};
  EXPECT_THAT(inspection_text(inspection, Screen{}, true), Not(HasSubstr("\x1b")));
  EXPECT_THAT(inspection_text(inspection, Screen{}, true), HasSubstr("x\\x0Ay"));
}

}  // namespace
}  // namespace samestep
