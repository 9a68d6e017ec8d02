#include "tools/diff_subjects.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "capture/seal.h"
#include "checkpoint/files/folder.h"
#include "schemas/json/capture_json.h"
#include "schemas/json/report_json.h"
#include "tests/capture/session_fixture.h"
#include "tests/schemas/json/expect_error.h"
#include "tests/support/test_data.h"

namespace samestep {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kPairs = test_data("samples/hostile/");

std::string text_at(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class DiffSubjectsTest : public SessionTest {
 protected:
  std::string run_of(const std::string& name, std::int64_t at, int ranks) {
    plan.run = folder / name;
    plan.at = at;
    for (int rank = 0; rank < ranks; ++rank) train(*open(rank, ranks), at + 2);
    return plan.run;
  }
};

TEST_F(DiffSubjectsTest, OneBitIsOneFinding) {
  const Report report = diff_subjects(kPairs + "pair-one-bit/a.pt", kPairs + "pair-one-bit/b.pt");
  EXPECT_EQ(report.verb, "diff");
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 1u);
  ASSERT_TRUE(report.findings[0].difference);
  EXPECT_EQ(report.findings[0].difference->elements, 1u);
  EXPECT_FALSE(report.findings[0].next.empty());
}

TEST_F(DiffSubjectsTest, DamageIsToldBesideWhatDiffers) {
  const std::string sound = kPairs + "pair-one-bit/a.pt", damaged = folder / "damaged.pt";
  std::string text = text_at(sound);
  const std::string six("\0\0\xC0\x40", 4);
  text.replace(text.rfind(six), 4, std::string("\1\0\xC0\x40", 4));
  write_whole_file(damaged, text);
  for (const bool first : {true, false}) {
    const Report report = first ? diff_subjects(damaged, sound) : diff_subjects(sound, damaged);
    EXPECT_EQ(report.verdict, Verdict::diverged);
    ASSERT_EQ(report.findings.size(), 2u);
    EXPECT_EQ(report.findings[0].field, "extra/model/w");
    EXPECT_EQ(report.findings[1].grade, Grade::warning);
    EXPECT_THAT(report.findings[1].evidence[0], HasSubstr("damaged.pt: its bytes changed"));
    EXPECT_EQ(report.findings[1].next, "samestep verify " + damaged);
    EXPECT_THAT(report.reason, HasSubstr(damaged + " is damaged (1 place)"));
  }
}

TEST_F(DiffSubjectsTest, DamagedFilesOfOneNameAreToldApart) {
  const std::string text = text_at(kPairs + "pair-one-bit/a.pt"), six("\0\0\xC0\x40", 4);
  for (const auto& [side, damage] : {std::pair("first", '\1'), std::pair("second", '\2')}) {
    std::string damaged = text;
    damaged[damaged.rfind(six)] = damage;
    std::filesystem::create_directories((folder / side) + "/7");
    write_whole_file((folder / side) + "/7/state.pt", damaged);
  }
  const Report report =
      diff_subjects((folder / "first") + "/7/state.pt", (folder / "second") + "//7/state.pt");
  ASSERT_EQ(report.findings.size(), 3u);
  EXPECT_THAT(report.findings[1].evidence[0], StartsWith("first/7/state.pt: its bytes changed"));
  EXPECT_THAT(report.findings[2].evidence[0], StartsWith("second/7/state.pt: its bytes changed"));
}

TEST_F(DiffSubjectsTest, OrderOfKeysIsNoDifference) {
  EXPECT_EQ(diff_subjects(kPairs + "pair-dict-order/a.pt", kPairs + "pair-dict-order/b.pt").verdict,
            Verdict::same);
}

TEST_F(DiffSubjectsTest, RanksAreComparedWithThemselves) {
  const std::string first = run_of("a", 2, 2), second = run_of("b", 3, 2);
  EXPECT_EQ(diff_subjects(first, first).verdict, Verdict::same);
  const Report report = diff_subjects(first, second);
  EXPECT_EQ(report.verdict, Verdict::diverged);
  EXPECT_EQ(report.coverage.ranks_heard, (std::vector<int>{0, 1}));
  EXPECT_EQ(report.coverage.ranks_expected, 2);
  bool second_rank = false;
  for (const Finding& finding : report.findings) second_rank = second_rank || finding.rank == 1;
  EXPECT_TRUE(second_rank);
}

TEST_F(DiffSubjectsTest, EqualCapturesAreComparedByTheirManifestsAlone) {
  const std::string first = run_of("a", 2, 1), second = run_of("b", 2, 1);
  for (const std::string& run : {first, second})
    remove_tree(run + "/.samestep/captures/2/rank-0.0.pack");
  const Report report = diff_subjects(first, second);
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_EQ(report.coverage.fields_equal, 2u);
  ASSERT_FALSE(report.coverage.not_compared.empty());
  EXPECT_THAT(report.coverage.not_compared.back().second, HasSubstr("samestep verify " + first))
      << "no byte of a pack was read";
}

TEST_F(DiffSubjectsTest, EqualCapturesAreComparedByTheirSummaries) {
  const std::string first = run_of("a", 2, 2), second = run_of("b", 2, 2);
  const std::string manifest = second + "/.samestep/captures/2/rank-1.json";
  // Without fields, and sealed again: who reads them would not take it.
  std::string text = text_at(manifest);
  text.replace(text.find("\"fields\": [") + 11, std::string::npos, "\n  \"checksum\": \"\"\n}\n");
  text.insert(text.size() - 4, 32, '0');
  write_whole_file(manifest, sealed(text));
  EXPECT_ERROR(read_capture(second), corrupt, "not valid JSON");
  const Report report = diff_subjects(first, second);
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_EQ(report.coverage.fields_equal, 4u);
  EXPECT_EQ(report.coverage.ranks_heard, (std::vector<int>{0, 1}));
}

TEST_F(DiffSubjectsTest, WhatAnAuditDoesNotCountIsCountedOnlyWhenAsked) {
  const auto run_at = [this](const std::string& name, double time) {
    plan.run = folder / name;
    const auto session = open();
    for (const std::int64_t step : {1, 2}) {
      session->begin_record(step, "begin", Decision::Record::full);
      FloatField("model/weight", {1.0F, static_cast<float>(step)}).add_to(*session);
      Field field;
      field.path = FieldPath("loop/start_time");
      field.value = Value(time);
      field.traits["declared"] = "attribute";
      session->add_field(field, *value_bytes(time));
      session->commit_record();
    }
    return plan.run;
  };
  const std::string first = run_at("a", 1.7e9), second = run_at("b", 1.8e9);
  const Report report = diff_subjects(first, second);
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_EQ(report.coverage.ignored.at("times of day and durations"), 1u);
  EXPECT_THAT(report.reason, HasSubstr("1 field differs that an audit does not count"));
  EXPECT_EQ(diff_subjects(first, second, EqualBy::xxh3, Counting::exact).verdict,
            Verdict::diverged);
}

TEST_F(DiffSubjectsTest, WithoutItsPackACaptureStillSaysWhatDiffers) {
  const std::string first = run_of("a", 2, 1), second = run_of("b", 3, 1);
  remove_tree(second + "/.samestep/captures/3/rank-0.0.pack");
  for (const Counting counting : {Counting::as_audit, Counting::exact}) {
    const Report report = diff_subjects(first, second, EqualBy::xxh3, counting);
    EXPECT_EQ(report.verdict, Verdict::diverged);
    EXPECT_EQ(report.findings.at(0).field, "model/weight");
    EXPECT_THAT(report.reason, HasSubstr("; the first is of step 2, the second of step 3"));
    EXPECT_FALSE(report.findings.at(0).difference);
    EXPECT_THAT(report.coverage.not_compared,
                ::testing::Contains(::testing::Pair("the bytes of " + second,
                                                    HasSubstr("rank-0.0.pack is not there"))));
  }
}

TEST_F(DiffSubjectsTest, OfACaptureAndACheckpointTheGateTellsMore) {
  const std::string run = run_of("a", 2, 1), file = kPairs + "pair-one-bit/a.pt";
  EXPECT_EQ(diff_subjects(run, file).findings.at(0).next, "samestep gate " + run + " " + file);
  EXPECT_EQ(diff_subjects(file, run).findings.at(0).next, "samestep gate " + run + " " + file);
}

TEST_F(DiffSubjectsTest, BySha256AllDataIsRead) {
  const std::string first = run_of("a", 2, 1), second = run_of("b", 2, 1);
  EXPECT_EQ(diff_subjects(first, second, EqualBy::sha256).coverage.fields_equal, 2u);
  remove_tree(second + "/.samestep/captures/2/rank-0.0.pack");
  EXPECT_EQ(diff_subjects(first, second).verdict, Verdict::same);
  EXPECT_ERROR(diff_subjects(first, second, EqualBy::sha256), not_found, "rank-0.0.pack");
}

TEST_F(DiffSubjectsTest, ADamagedManifestIsToldThoughItsSummaryIsWhole) {
  const std::string first = run_of("a", 2, 1), second = run_of("b", 2, 1);
  const std::string manifest = second + "/.samestep/captures/2/rank-0.json";
  std::string text = text_at(manifest);
  text[text.find("\"blobs\"") + 1] ^= 1;
  write_whole_file(manifest, text);
  EXPECT_ERROR(diff_subjects(first, second), corrupt, "its checksum does not match");
}

TEST_F(DiffSubjectsTest, RecordsWithoutASummaryAreReadWhole) {
  const std::string first = run_of("a", 2, 1), second = run_of("b", 2, 1);
  const std::string manifest = second + "/.samestep/captures/2/rank-0.json";
  CaptureRank capture = read_capture_rank(manifest);
  capture.summary.reset();
  write_whole_file(manifest, sealed(capture_rank_to_json(capture)));
  EXPECT_FALSE(read_capture_heads(second));
  EXPECT_EQ(report_to_json(diff_subjects(first, second)),
            report_to_json(diff_subjects(first, first)));
}

TEST_F(DiffSubjectsTest, QuickNamesTheTensorAndSaysThatItIsAHint) {
  const Report report =
      quick_diff_subjects(kPairs + "pair-one-bit/a.pt", kPairs + "pair-one-bit/b.pt");
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_THAT(report.reason, testing::HasSubstr("a hint"));
  EXPECT_THAT(report.findings[0].next, testing::StartsWith("samestep diff "));
  EXPECT_EQ(
      quick_diff_subjects(kPairs + "pair-dict-order/a.pt", kPairs + "pair-dict-order/b.pt").verdict,
      Verdict::same);
}

TEST_F(DiffSubjectsTest, ALonelyRankIsNotCalledEqual) {
  const Report report = diff_subjects(run_of("a", 2, 2), run_of("b", 2, 1));
  EXPECT_EQ(report.coverage.ranks_heard, (std::vector<int>{0}));
  ASSERT_FALSE(report.coverage.not_compared.empty());
  EXPECT_THAT(report.coverage.not_compared,
              ::testing::Contains(::testing::Pair("rank 1", "only in the first")));
}

}  // namespace
}  // namespace samestep
