#include "tools/run_damage.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "capture/run_folder.h"
#include "tests/capture/session_fixture.h"

namespace samestep {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

PackTrouble missing(std::size_t fields) {
  PackTrouble trouble{
      "captures/4/rank-0.0.pack", FileTrouble::missing, "is not there", {}, {4}, {}};
  for (std::size_t i = 0; i < fields; ++i)
    trouble.fields.emplace_back(0, "model/" + std::string(1, static_cast<char>('a' + i)));
  return trouble;
}

TEST(PackSentenceTest, SaysWhatTheFileTakesWithIt) {
  EXPECT_EQ(pack_sentence(missing(1)),
            "is not there; lost with it: the bytes of 1 field of capture 4 (model/a)");
  PackTrouble trouble = missing(5);
  trouble.others = {1, 2, 3};
  EXPECT_EQ(
      pack_sentence(trouble),
      "is not there; lost with it: the bytes of 5 fields of capture 4 (model/a, model/b, model/c "
      "and 2 more); captures 1, 2 and 3 need it as well");
  for (int step = 10; step < 100; ++step) trouble.others.insert(step);
  EXPECT_THAT(pack_sentence(trouble),
              HasSubstr("captures 1, 2, 3, 10, 11, 12, 13, 14 and 85 more"));
}

TEST(PackFindingTest, IsOneWithWhatToDo) {
  const Finding finding = pack_finding(missing(5), "a run");
  EXPECT_EQ(finding.field, "captures/4/rank-0.0.pack");
  EXPECT_EQ(finding.marks, std::vector<std::string>{"missing"});
  EXPECT_THAT(finding.evidence[1], HasSubstr("copy it back"));
  EXPECT_EQ(finding.next, "samestep inspect --fields 'a run'");
  PackTrouble shut = missing(1);
  shut.trouble = FileTrouble::unreadable;
  EXPECT_EQ(pack_finding(shut, "a").evidence[1], "make it readable");
}

class RunDamageTest : public SessionTest {
 protected:
  std::vector<Finding> damage() { return run_damage(plan.run, read_capture(plan.run), coverage); }
  Coverage coverage;
};

TEST_F(RunDamageTest, ADamagedLogIsAFindingAndATornOneIsNone) {
  plan.at = 1;
  train(*open(), 3);
  EXPECT_THAT(damage(), IsEmpty());
  EXPECT_THAT(coverage.not_compared, IsEmpty());
  const std::string log = RunFolder(plan.run).log(0);
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 2);
  EXPECT_THAT(damage(), IsEmpty());
  ASSERT_EQ(coverage.not_compared.size(), 1u);
  EXPECT_EQ(coverage.not_compared[0].first, "log/rank-0.jsonl.zst");
  write_whole_file(log, "garbage");
  const auto findings = damage();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].field, "log/rank-0.jsonl.zst");
  EXPECT_THAT(findings[0].evidence.back(), HasSubstr("the captures do not need it"));
}

TEST_F(RunDamageTest, CapturesThatWereNotReadAreNamed) {
  const auto session = open();
  for (const std::int64_t step : {1, 2, 3}) record(*session, step, Decision::Record::full);
  EXPECT_THAT(damage(), IsEmpty());
  ASSERT_EQ(coverage.not_compared.size(), 1u);
  EXPECT_EQ(coverage.not_compared[0].first, "captures 1 and 2");
  EXPECT_THAT(coverage.not_compared[0].second, HasSubstr("/captures/1`"));
}

}  // namespace
}  // namespace samestep
