#include "checkpoint/formats/torch_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/leaf_text.h"
#include "tests/checkpoint/torch_writer.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::stored_record;
using testing::ElementsAre;
using testing::HasSubstr;

ZipArchive archive_of(const std::string& config) {
  return ZipArchive::open(foreign::slice_of(
      foreign::zip_of(
          {stored_record("m/data/weights/weight_0", foreign::floats({0, 1, 2, 3, 4, 5})),
           stored_record("m/data/weights/model_weights_config.json", config),
           stored_record("m/archive_format", "pt2")}),
      "m.pt2"));
}

std::string config(const std::string& path, const std::string& dtype, const std::string& sizes,
                   const std::string& more = "") {
  return R"({"config": {"w": {"path_name": ")" + path +
         R"(", "use_pickle": false, "tensor_meta": {"dtype": )" + dtype + R"(, "sizes": )" + sizes +
         R"(, "strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}, "requires_grad": true)" +
         more + "}}}}";
}

const std::string kSizes = R"([{"as_int": 2}, {"as_int": 3}])";

TEST(TorchExport, ReadsTheWeights) {
  const ZipArchive archive = archive_of(config("weight_0", "7", kSizes));
  ASSERT_TRUE(is_torch_export(archive));
  const Document document = read_torch_export(archive);
  EXPECT_THAT(foreign::leaf_lines(document), ElementsAre("w: float32[2,3] 24 bytes"));
  EXPECT_EQ(document.leaves[0].layout.requires_grad, true);
  EXPECT_THAT(document.notes, testing::Contains("an exported program, not a training checkpoint"));
}

TEST(TorchExport, RefusesWhatDoesNotFit) {
  const auto text = [](const std::string& json) {
    return error_text([&] { read_torch_export(archive_of(json)); });
  };
  EXPECT_THAT(text(config("weight_9", "7", kSizes)),
              HasSubstr("m.pt2: w: record 'weight_9' is missing"));
  EXPECT_THAT(text(config("weight_0", "99", kSizes)), HasSubstr("the dtype is not known"));
  EXPECT_THAT(text(config("weight_0", "8", kSizes)), HasSubstr("reaches past its storage"));
  EXPECT_THAT(text(config("weight_0", "7", R"([{"as_int": -2}, {"as_int": 3}])")),
              HasSubstr("negative"));
  EXPECT_THAT(text(config("weight_0", "7", R"([{"as_expr": "s0"}])")),
              HasSubstr("expected an integer"));
  EXPECT_THAT(text(config("weight_0", "7", "5")), HasSubstr("is no list of sizes"));
  EXPECT_THAT(text("{"), HasSubstr("m.pt2"));
}

TEST(TorchExport, OtherArchivesAreNone) {
  EXPECT_FALSE(is_torch_export(
      ZipArchive::open(foreign::slice_of(foreign::zip_of(foreign::torch_records("N"))))));
}

}  // namespace
}  // namespace samestep
