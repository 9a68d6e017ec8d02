#include "tools/render/xml.h"

#include <sstream>

#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::size_t kTextBytesMax = std::size_t{1} << 20;

// Line by line, because printable() escapes line feeds.
std::string safe(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    out += (out.empty() ? "" : "\n") + printable(line, kTextBytesMax);
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
  node.append_attribute(name).set_value(printable(value, kTextBytesMax).c_str());
}

std::string xml_text(const pugi::xml_document& document) {
  std::ostringstream stream;
  document.save(stream, "  ", pugi::format_default, pugi::encoding_utf8);
  return stream.str();
}

}  // namespace samestep
