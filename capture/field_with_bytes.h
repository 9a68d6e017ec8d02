// FieldWithBytes: a field, and where its canonical bytes are to be had.
#pragma once

#include "checkpoint/field_bytes.h"
#include "schemas/field.h"

namespace samestep {

struct FieldWithBytes {
  Field field;
  FieldBytesPtr bytes;
};

}  // namespace samestep
