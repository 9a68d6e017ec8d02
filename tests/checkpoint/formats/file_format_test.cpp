#include "checkpoint/formats/file_format.h"

#include <gtest/gtest.h>

#include "../foreign.h"
#include "checkpoint/containers/mapped_file.h"

namespace samestep {
namespace {

using std::string_literals::operator""s;

TEST(FileFormat, IsFoundByContent) {
  const std::vector<std::pair<std::string, FileFormat>> cases = {
      {"", FileFormat::empty},
      {"PK\x03\x04"s, FileFormat::python},
      {"\x93NUMPY\x01\x00"s, FileFormat::python},
      {"\x80\x04N."s, FileFormat::python},
      {"\x02\0\0\0\0\0\0\0{}"s, FileFormat::safetensors},
      {" \n{\"step\": 1}", FileFormat::json},
      {std::string(257, 'a') + "ustar\0"s, FileFormat::tar},
      {"plain words", FileFormat::unknown},
      {"#!/bin/sh", FileFormat::unknown},
      {std::string(64, '\0'), FileFormat::unknown},
  };
  for (const auto& [text, format] : cases)
    EXPECT_EQ(file_format(foreign::slice_of(text).bytes), format)
        << testing::PrintToString(text.substr(0, 20));
}

TEST(FileFormat, DoesNotTrustNames) {
  const FileSlice file =
      map_file(foreign::sample("handed/accelerate-seedable/optimizer.bin"), "model.safetensors");
  EXPECT_EQ(file_format(file.bytes), FileFormat::python);
}

}  // namespace
}  // namespace samestep
