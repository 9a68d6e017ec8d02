// XML of reports: pugixml with text that is safe to put in.
#pragma once

#include <pugixml.hpp>
#include <string>

namespace samestep {

/// A child element, with text when there is any. Control characters become \xNN first: XML cannot
/// hold them.
pugi::xml_node add_element(pugi::xml_node parent, const char* name, const std::string& text = {});
void set_attribute(pugi::xml_node node, const char* name, const std::string& value);
/// The document, indented, with its declaration.
std::string xml_text(const pugi::xml_document& document);

}  // namespace samestep
