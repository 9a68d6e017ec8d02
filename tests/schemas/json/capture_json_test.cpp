#include "schemas/json/capture_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "schemas/check.h"
#include "tests/schemas/json/edit.h"
#include "tests/schemas/json/expect_error.h"
#include "tests/schemas/json/samples.h"
#include "tests/support/test_data.h"

namespace samestep {
namespace {

TEST(CaptureJsonTest, GoesBothWays) {
  const CaptureRank capture = sample_capture();
  const std::string text = capture_rank_to_json(capture);
  const CaptureRank back = capture_rank_from_json(text, "rank-0.json");
  EXPECT_EQ(capture_rank_to_json(back), text);
  EXPECT_EQ(back.boundary, capture.boundary);
  EXPECT_EQ(back.completed, 4);
  ASSERT_EQ(back.fields.size(), capture.fields.size());
  for (std::size_t i = 0; i < back.fields.size(); ++i) {
    EXPECT_EQ(back.fields[i].path, capture.fields[i].path);
    EXPECT_EQ(back.fields[i].role, capture.fields[i].role);
    EXPECT_EQ(back.fields[i].digest, capture.fields[i].digest);
    EXPECT_EQ(back.fields[i].shape, capture.fields[i].shape);
    EXPECT_EQ(back.fields[i].traits, capture.fields[i].traits);
    EXPECT_EQ(back.fields[i].layout.strides, capture.fields[i].layout.strides);
    EXPECT_EQ(back.fields[i].layout.requires_grad, capture.fields[i].layout.requires_grad);
  }
  EXPECT_EQ(back.blobs.at(Digest{1, 2}).offset, 64u);
  EXPECT_EQ(back.chunks.at(Digest{1, 2}).size(), 2u);
  EXPECT_EQ(back.contract.clauses, capture.contract.clauses);
}

TEST(CaptureJsonTest, ValuesAreLossless) {
  const double odd_nan = std::bit_cast<double>(std::uint64_t{0xfff8000000000123});
  const Value values[] = {None{},
                          true,
                          std::int64_t{INT64_MIN},
                          BigInt{Bytes(9, std::byte{0x7f})},
                          0.1,
                          -0.0,
                          odd_nan,
                          -HUGE_VAL,
                          std::string("a\"\n\0b", 5),
                          std::string("\xED\xA0\x80"),
                          Bytes{std::byte{0}, std::byte{255}},
                          Numbers{std::vector<std::int64_t>{1, -2}},
                          Numbers{std::vector<double>{0.5, odd_nan}},
                          Numbers{std::vector<std::int64_t>{}}};
  for (const Value& value : values) {
    CaptureRank capture = sample_capture();
    capture.fields[0].value = value;
    const Value back = *capture_rank_from_json(capture_rank_to_json(capture), "r").fields[0].value;
    EXPECT_EQ(back.index(), value.index()) << display(value);
    if (const auto* number = std::get_if<double>(&value)) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(std::get<double>(back)),
                std::bit_cast<std::uint64_t>(*number));
    } else if (std::holds_alternative<Numbers>(value)) {
      EXPECT_EQ(display(back), display(value));
    } else {
      EXPECT_TRUE(back == value) << display(value);
    }
  }
}

TEST(CaptureJsonTest, RefusesEachFaultByItsPointer) {
  const BadEdit cases[] = {
      {"capture.v2", "capture.v9",
       "at /schema: schema \"capture.v9\" is not capture.v3 or capture.v2 or capture.v1"},
      {"\"rank\",", "\"world\",", "at /document: expected \"rank\""},
      {"\"digest_version\": 1", "\"digest_version\": 2", "at /digest_version: a digest scheme"},
      {"\"world_size\": 2", "\"world_size\": 0", "at /world_size: expected at least 1"},
      {"\"world_size\": 2", "\"world_size\": 1", "at /boundary: the rank is not below"},
      {"\"moment\"", "\"momentum\"", "at /fields/1/role: no role has this name: \"momentum\""},
      {"\"tensor\"", "\"Tensor\"", "at /fields/1/kind: no kind of field"},
      {"\"float32\"", "\"float33\"", "at /fields/1/dtype: no dtype"},
      {"[2, 3]", "[2, -3]", "at /fields/1/shape/1: a negative length"},
      {"{\"int\": 4}", "{\"int\": 4, \"float\": 1}",
       "at /fields/0/value: expected an object with one"},
      {"{\"int\": 4}", "{\"num\": 4}", "at /fields/0/value/num: no kind of value"},
      {"{\"int\": 4}", "{\"int\": \"4\"}", "at /fields/0/value/int: expected an integer"},
      {"lr_scheduler/last_epoch", "zz/last", "at /fields/1: fields are not sorted"},
      {"4/rank-0-0.0.pack", "4/../../x", "expected a path below the captures folder"},
      {"\"offset\": 64", "\"offset\": 18446744073709551615", "offset and length overflow"},
      {"\"traits\"", "\"trait\"", "unknown key"},
      {"00000000000000050000000000000006", "000000000000000500000000000006", "32 digits a chunk"},
      {"\"checksum\"", "\"checksums\"", "key \"checksum\" is missing"},
      {"\"contract\"", "\"contracts\"", "at /: key \"contract\" is missing"},
  };
  const std::string text = capture_rank_to_json(sample_capture());
  for (const BadEdit& c : cases) {
    EXPECT_ERROR(capture_rank_from_json(edited(text, c.source, c.target), "rank.json"), corrupt,
                 c.says);
  }
}

TEST(CaptureJsonTest, Version1IsRead) {
  std::ifstream file(test_data("fuzz/seeds/capture_rank_json/full.json"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_NE(text.find("capture.v1"), std::string::npos);
  const CaptureRank capture = capture_rank_from_json(text, "rank-0.json");
  EXPECT_EQ(capture.blobs.at(Digest{1, 2}).codec, "zstd");
  EXPECT_EQ(capture.chunks.at(Digest{1, 2}), (std::vector<Digest>{{5, 6}, {7, 8}}));
  EXPECT_ERROR(capture_rank_from_json(edited(text, "capture.v1", "capture.v2"), "r"), corrupt,
               "at /chunks");
}

CaptureRank summed_capture() {
  CaptureRank capture = sample_capture();
  capture.summary = CaptureSummary{{7, 8}, 0, {{"lr_scheduler", 1}, {"optimizer", 1}}};
  return capture;
}

TEST(CaptureJsonTest, ASummaryStandsBeforeTheFields) {
  const CaptureRank capture = summed_capture();
  const std::string text = capture_rank_to_json(capture);
  const CaptureRank back = capture_rank_from_json(text, "r");
  EXPECT_EQ(back.summary, capture.summary);
  EXPECT_EQ(capture_rank_to_json(back), text);
  const BadEdit cases[] = {
      {"capture.v3", "capture.v2", "unknown key"},
      {"\"optimizer\": 1}", "\"optimizer\": 2}", "at /summary/components: not as many"},
      {"\"optimizer\": 1}", "\"optimizer\": -1}", "at /summary/components/optimizer"},
      {"\"optimizer\": 1}", "\"optimizer\": 1000000001}", "too many fields"},
      {"\"opaque\": 0", "\"opaque\": 1", "at /summary/opaque: not as many"},
      {"\"summary\"", "\"sum\"", "key \"summary\" is missing"},
  };
  for (const BadEdit& c : cases)
    EXPECT_ERROR(capture_rank_from_json(edited(text, c.source, c.target), "r"), corrupt, c.says);
}

TEST(CaptureJsonTest, TheHeadIsReadAlone) {
  const std::string text = capture_rank_to_json(summed_capture());
  const std::size_t fields = text.find("\"fields\": [");
  const auto head = capture_head_from_json(text.substr(0, fields + 11) + "nothing more", "r");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->boundary, summed_capture().boundary);
  EXPECT_EQ(head->completed, 4);
  EXPECT_EQ(head->world_size, 2);
  EXPECT_EQ(head->summary, *summed_capture().summary);
  EXPECT_FALSE(capture_head_from_json(text.substr(0, fields), "r")) << "it is not known to end";
  EXPECT_FALSE(capture_head_from_json(capture_rank_to_json(sample_capture()), "r"));
  EXPECT_ERROR(capture_head_from_json(edited(text, "\"world_size\": 2", "\"world_size\": 1"), "r"),
               corrupt, "the rank is not below");
}

TEST(CaptureJsonTest, ASummaryThatDoesNotCountTheFieldsIsOurMistake) {
  CaptureRank capture = summed_capture();
  capture.summary->components["optimizer"] = 2;
  EXPECT_THROW(capture_rank_to_json(capture), CheckFailure);
  capture = summed_capture();
  capture.summary->opaque = 1;
  EXPECT_THROW(capture_rank_to_json(capture), CheckFailure);
}

TEST(CaptureJsonTest, UnsortedOrUndigestedFieldsAreOurMistake) {
  CaptureRank capture = sample_capture();
  std::swap(capture.fields[0], capture.fields[1]);
  EXPECT_THROW(capture_rank_to_json(capture), CheckFailure);
  capture = sample_capture();
  capture.fields[0].digest.reset();
  EXPECT_THROW(capture_rank_to_json(capture), CheckFailure);
}

TEST(CaptureWorldJsonTest, GoesBothWaysAndIsStrict) {
  const CaptureWorld world{4, 2, {"rank-0.json", "rank-1.json"}};
  const std::string text = capture_world_to_json(world);
  const CaptureWorld back = capture_world_from_json(text, "capture.json");
  EXPECT_EQ(back.step, 4);
  EXPECT_EQ(back.ranks, world.ranks);
  const BadEdit cases[] = {
      {"\"world\"", "\"rank\"", "at /document: expected \"world\""},
      {"\"world_size\": 2", "\"world_size\": 3", "at /ranks: not as many manifests"},
      {"rank-1.json", "../rank-1.json", "at /ranks/1: expected a file name"},
      {"\"step\": 4", "\"step\": -4", "at /step: expected at least 0"},
  };
  for (const BadEdit& c : cases) {
    EXPECT_ERROR(capture_world_from_json(edited(text, c.source, c.target), "capture.json"), corrupt,
                 c.says);
  }
}

}  // namespace
}  // namespace samestep
