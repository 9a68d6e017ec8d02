#include "tools/render/xml.h"

#include <gmock/gmock.h>

namespace samestep {
namespace {

TEST(XmlTest, AnyBytesMakeAWellFormedDocument) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("root");
  set_attribute(root, "name", all);
  add_element(root, "text", all);
  add_element(root, "empty");
  const std::string text = xml_text(document);
  for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  pugi::xml_document back;
  ASSERT_TRUE(back.load_string(text.c_str()));
  EXPECT_THAT(back.child("root").child("text").text().get(), ::testing::HasSubstr("%&'()"));
}

TEST(XmlTest, NoncharactersAreNoXml) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("root");
  set_attribute(root, "name", "a\xEF\xBF\xBE");
  add_element(root, "text", "\xEF\xBF\xBF\xEF\xBF\xBD");
  const std::string text = xml_text(document);
  EXPECT_THAT(text, ::testing::HasSubstr("\"a\\xEF\\xBF\\xBE\""));
  EXPECT_THAT(text, ::testing::HasSubstr(">\\xEF\\xBF\\xBF\xEF\xBF\xBD<"));
}

TEST(XmlTest, LineFeedsOfTextStay) {
  pugi::xml_document document;
  add_element(document.append_child("root"), "text", "a\nb\x02");
  pugi::xml_document back;
  ASSERT_TRUE(back.load_string(xml_text(document).c_str()));
  EXPECT_STREQ(back.child("root").child("text").text().get(), "a\nb\\x02");
}

}  // namespace
}  // namespace samestep
