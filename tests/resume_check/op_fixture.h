// Records of operators in a few words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "resume_check/op_records.h"

namespace samestep::testing {

inline OpValue tensor(const std::string& name, std::uint64_t digest) {
  OpValue value;
  value.name = name;
  value.is_tensor = true;
  value.dtype = "float32";
  value.shape = {2, 3};
  value.digest = Digest{0, digest};
  return value;
}

inline OpValue read_as(OpValue value, const std::string& reading) {
  value.reading = reading;
  return value;
}

inline OpValue plain(const std::string& name, const std::string& text) {
  OpValue value;
  value.name = name;
  value.text = text;
  return value;
}

inline OpRecord op(const std::string& name, std::vector<OpValue> inputs,
                   std::vector<OpValue> outputs) {
  OpRecord record;
  record.name = "aten::" + name;
  record.phase = "forward";
  record.inputs = std::move(inputs);
  record.outputs = std::move(outputs);
  return record;
}

/// Numbered in their order.
inline OpRecords leg(std::vector<OpRecord> operators, int threads = 1) {
  OpRecords records;
  records.traced = true;
  records.threads = threads;
  for (std::size_t i = 0; i < operators.size(); ++i) operators[i].number = i + 1;
  records.operators = std::move(operators);
  return records;
}

}  // namespace samestep::testing
