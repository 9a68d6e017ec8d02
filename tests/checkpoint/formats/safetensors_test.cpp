#include "checkpoint/formats/safetensors.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "../foreign.h"
#include "checkpoint/containers/mapped_file.h"
#include "checkpoint/hasher.h"
#include "schemas/error.h"

namespace samestep {
namespace {

FileSlice file_of(const std::string& header, const std::string& data) {
  std::string text(8, '\0');
  for (int i = 0; i < 8; ++i) text[i] = static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  return foreign::slice_of(text + header + data, "t.safetensors");
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(Safetensors, ReadsTensorsInHeaderOrder) {
  const FileSlice file =
      file_of("{\"__metadata__\":{\"format\":\"pt\"},\"b\":" + entry("I8", "[2]", "[4,6]") +
                  ",\"a\":" + entry("F32", "[]", "[0,4]") + "}   ",
              std::string("\0\0\x80\x3F\x01\x02", 6));
  const Safetensors read = read_safetensors(file);
  EXPECT_THAT(read.metadata, testing::ElementsAre(testing::Pair("format", "pt")));
  ASSERT_EQ(read.document.leaves.size(), 2u);
  const Leaf& first = read.document.leaves[0];
  EXPECT_EQ(first.source.keys[0].text, "b");
  EXPECT_EQ(first.source.file, "t.safetensors");
  EXPECT_EQ(first.dtype, Dtype::int8);
  EXPECT_THAT(first.shape, testing::ElementsAre(2));
  EXPECT_EQ(read.document.leaves[1].dtype, Dtype::float32);
  EXPECT_EQ(sha256_of(*read.document.leaves[1].bytes),
            "e00e5eb9444182f352323374ef4e08ebcb784725fdd4fd612d7730540b3e0c8c");
}

TEST(Safetensors, CountsFourBitElementsInPairs) {
  const Safetensors read =
      read_safetensors(file_of("{\"a\":" + entry("F4", "[2,4]", "[0,4]") + "}", "abcd"));
  EXPECT_EQ(read.document.leaves[0].dtype, Dtype::float4_e2m1fn_x2);
  EXPECT_THAT(read.document.leaves[0].shape, testing::ElementsAre(2, 2));
  EXPECT_THROW(read_safetensors(file_of("{\"a\":" + entry("F4", "[3]", "[0,2]") + "}", "ab")),
               Error);
}

TEST(Safetensors, RefusesHeadersThatContradictTheFile) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"{\"a\":" + entry("F32", "[2]", "[0,4]") + "}", "by its shape"},
      {"{\"a\":" + entry("F32", "[2]", "[0,8]") + "}", "past the end"},
      {"{\"a\":" + entry("I8", "[2]", "[0,2]") + "}", "after the last tensor"},
      {"{\"a\":" + entry("I8", "[2]", "[2,4]") + "}", "hole"},
      {"{\"a\":" + entry("I8", "[3]", "[0,3]") + ",\"b\":" + entry("I8", "[2]", "[2,4]") + "}",
       "overlaps"},
      {"{\"a\":" + entry("I8", "[2]", "[4,2]") + "}", "begins after its end"},
      {"{\"a\":" + entry("X9", "[4]", "[0,4]") + "}", "unknown dtype"},
      {"{\"a\":" + entry("I8", "[-4]", "[0,4]") + "}", "negative"},
      {"{\"a\":" + entry("I8", "[4.0]", "[0,4]") + "}", "no integer"},
      {"{\"a\":" + entry("I8", "[4]", "[0,4.0]") + "}", "data_offsets"},
      {"{\"a\":" + entry("I8", "[4]", "[0]") + "}", "no pair"},
      {"{\"a\":" + entry("F64", "[4294967296,4294967296]", "[0,4]") + "}", "overflows"},
      {"{\"a\":{\"dtype\":\"I8\",\"shape\":[4]}}", "lacks"},
      {"{\"__metadata__\":{\"a\":1}}", "no string"},
      {"{\"__metadata__\":[]}", "no JSON object"},
      {"[]", "'{'"},
      {" {}", "'{'"},
      {"", "'{'"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_THAT([header = text] { read_safetensors(file_of(header, "abcd")); },
                testing::ThrowsMessage<Error>(testing::HasSubstr(message)))
        << text;
}

TEST(Safetensors, ReadsOrRefusesEachHostileSample) {
  int refused = 0, read = 0;
  for (const std::string& name : foreign::samples("hostile", "safetensors-")) {
    const auto path = foreign::sample("hostile/" + name) / "model.safetensors";
    if (!std::filesystem::exists(path)) continue;
    if (name.ends_with("-ok")) {
      EXPECT_NO_THROW(read_safetensors(map_file(path, name))) << name;
      ++read;
    } else {
      EXPECT_THROW(read_safetensors(map_file(path, name)), Error) << name;
      ++refused;
    }
  }
  EXPECT_GE(read, 3);
  EXPECT_GE(refused, 25);
}

}  // namespace
}  // namespace samestep
