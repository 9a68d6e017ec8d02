#include "tools/render/xml.h"

#include <sstream>
#include <utility>

#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::size_t kTextBytesMax = std::size_t{1} << 20;

// U+FFFE and U+FFFF are characters of UTF-8 and none of XML.
std::string without_noncharacters(std::string line) {
  constexpr std::pair<const char*, const char*> kForms[] = {{"\xEF\xBF\xBE", "\\xEF\\xBF\\xBE"},
                                                            {"\xEF\xBF\xBF", "\\xEF\\xBF\\xBF"}};
  for (const auto& [character, escaped] : kForms) {
    for (std::size_t at = 0; (at = line.find(character, at)) != line.npos;) {
      line.replace(at, 3, escaped);
    }
  }
  return line;
}

std::string safe_line(const std::string& text) {
  return without_noncharacters(printable(text, kTextBytesMax));
}

// Line by line, because printable() escapes line feeds.
std::string safe(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    out += (out.empty() ? "" : "\n") + safe_line(line);
  }
  return out;
}

}  // namespace

pugi::xml_node add_element(pugi::xml_node parent, const char* name, const std::string& text) {
  pugi::xml_node node = parent.append_child(name);
  if (!text.empty()) node.append_child(pugi::node_pcdata).set_value(safe(text).c_str());
  return node;
}

void set_attribute(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(safe_line(value).c_str());
}

std::string xml_text(const pugi::xml_document& document) {
  std::ostringstream stream;
  document.save(stream, "  ", pugi::format_default, pugi::encoding_utf8);
  return stream.str();
}

}  // namespace samestep
