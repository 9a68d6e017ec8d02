// Small edits of JSON texts in tables of bad cases.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace samestep {

/// `text` with the first `source` replaced by `target`; the test fails when there is none.
inline std::string edited(std::string text, const std::string& source, const std::string& target) {
  const std::size_t at = text.find(source);
  if (at == std::string::npos) {
    ADD_FAILURE() << "the text does not hold " << source;
    return text;
  }
  return text.replace(at, source.size(), target);
}

struct BadEdit {
  std::string source, target;
  std::string says;  ///< part of the message, with the pointer
};

}  // namespace samestep
