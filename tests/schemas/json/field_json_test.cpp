#include "schemas/json/field_json.h"

#include <gtest/gtest.h>

#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

template <typename Write, typename Read, typename Thing>
Thing there_and_back(const Thing& thing, Write write, Read read) {
  JsonWriter writer;
  write(writer, thing);
  return read(JsonNode::parse(writer.take(), "d"));
}

TEST(FieldJsonTest, ADefaultFieldIsShort) {
  Field field;
  field.path = FieldPath("loop/step");
  JsonWriter writer;
  write_field(writer, field);
  EXPECT_EQ(writer.take(), R"({"path":"loop/step","role":"other","kind":"value","bytes":0})");
}

TEST(FieldJsonTest, LayoutGoesBothWays) {
  Layout layout;
  layout.strides = {3, -1, 0};
  layout.storage = 2;
  layout.storage_offset = 5;
  layout.device = "cuda:0";
  layout.requires_grad = true;
  const Layout back = there_and_back(layout, write_layout, read_layout);
  EXPECT_EQ(back.strides, layout.strides);
  EXPECT_EQ(back.storage, 2);
  EXPECT_EQ(back.storage_offset, 5);
  EXPECT_EQ(back.device, "cuda:0");
  EXPECT_EQ(back.requires_grad, true);
  EXPECT_FALSE(there_and_back(Layout{}, write_layout, read_layout).requires_grad);
}

TEST(FieldJsonTest, KeysKeepTheirKinds) {
  const Source source{"a.pt",
                      {{SourceKey::Kind::string, "0"},
                       {SourceKey::Kind::integer, "-12345678901234567890123"},
                       {SourceKey::Kind::attribute, "x"},
                       {SourceKey::Kind::repr, "<object>"}}};
  const Source back = there_and_back(source, write_source, read_source);
  EXPECT_EQ(back.file, "a.pt");
  EXPECT_EQ(back.keys, source.keys);
}

TEST(FieldJsonTest, BoundariesMapsAndPairsGoBothWays) {
  const Boundary boundary{2, 7, "grad:head.weight"};
  EXPECT_EQ(there_and_back(boundary, write_boundary, read_boundary), boundary);
  const std::map<std::string, std::string> map{{"a", "1"}, {"b/~", ""}};
  EXPECT_EQ(there_and_back(map, write_map, read_map), map);
  const std::vector<std::pair<std::string, std::string>> pairs{{"x", "y"}};
  EXPECT_EQ(there_and_back(pairs, write_pairs, read_pairs), pairs);
}

TEST(FieldJsonTest, RefusesForeignKeys) {
  const auto parse = [](const char* text) { return JsonNode::parse(text, "d"); };
  EXPECT_ERROR(read_source(parse(R"({"file":"","keys":[1.5]})")), corrupt, "d at /keys/0");
  EXPECT_ERROR(read_source(parse(R"({"file":"","keys":[{"x":"y"}]})")), corrupt, "unknown key");
  EXPECT_ERROR(read_layout(parse(R"({"storage":-1})")), corrupt, "d at /storage");
  EXPECT_ERROR(read_field(parse(R"({"path":"","role":"rng","kind":"value","bytes":0})")), corrupt,
               "d at /path: an empty path");
  EXPECT_ERROR(read_boundary(parse(R"({"rank":0,"step":-1,"phase":"begin"})")), corrupt,
               "d at /step");
}

}  // namespace
}  // namespace samestep
