// What a leg's log says about the operators of its traced step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/run_reader.h"

namespace samestep {

/// An argument or a result, as a tracer told it (capture/STEP_LOG.md, "operators").
struct OpValue {
  std::string name;  ///< "self", "tensors[3]", "output 0"
  bool is_tensor = false;
  std::string dtype;
  std::vector<std::int64_t> shape, strides;  ///< strides only where they enter the digest
  std::string reading = "whole";             ///< "whole", "laid", "part", "unset", "unread"
  std::optional<Digest> digest;
  std::optional<std::string> text;  ///< of a plain value
};

struct OpRecord {
  std::uint64_t number = 0, lane = 0;
  std::string name, overload, phase, module, inside;
  bool random = false;
  std::vector<OpValue> inputs, outputs;
  /// "aten::add.Tensor"
  std::string full_name() const { return overload.empty() ? name : name + "." + overload; }
};

struct OpRecords {
  bool traced = false;
  std::string untraced;  ///< why not, where the log says
  std::string error;     ///< what ended the trace early
  int threads = 0;
  std::vector<OpRecord> operators;  ///< in order of their numbers
};

/// Throws Error{corrupt}.
OpRecords operators_of(const StepLog& log);

}  // namespace samestep
