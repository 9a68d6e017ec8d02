// EXPECT_ERROR(statement, code, text): the statement throws Error with this code, and its line
// holds `text`.
#pragma once

#include <gmock/gmock.h>

#include "schemas/error.h"

#define EXPECT_ERROR(statement, expected_code, text)                                   \
  do {                                                                                 \
    try {                                                                              \
      (void)(statement);                                                               \
      ADD_FAILURE() << "no Error, expected one with: " << (text);                      \
    } catch (const ::samestep::Error& error_) {                                        \
      EXPECT_EQ(error_.code(), ::samestep::ErrorCode::expected_code) << error_.what(); \
      EXPECT_THAT(error_.what(), ::testing::HasSubstr(text));                          \
    }                                                                                  \
  } while (false)
