#include "resume_check/op_compare.h"

#include <algorithm>

#include "resume_check/op_align.h"
#include "schemas/value.h"

namespace samestep {
namespace {

enum class Likeness : unsigned char { equal, differs, unknown };

bool has_bytes(const OpValue& value) {
  return value.reading == "whole" || value.reading == "laid" || value.reading == "part";
}

Likeness compare(const OpValue& a, const OpValue& b) {
  if (a.is_tensor != b.is_tensor || a.dtype != b.dtype || a.shape != b.shape)
    return Likeness::differs;
  if (!a.is_tensor)
    return a.text == b.text && a.digest == b.digest ? Likeness::equal : Likeness::differs;
  // Digests of elements in another order, or of the memory around them, are of other bytes.
  if (!has_bytes(a) || a.reading != b.reading || a.strides != b.strides) return Likeness::unknown;
  return a.digest == b.digest ? Likeness::equal : Likeness::differs;
}

const OpValue* find(const std::vector<OpValue>& values, const OpValue& like) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const OpValue& value) { return value.name == like.name; });
  return found == values.end() ? nullptr : &*found;
}

struct Part {
  const OpValue* source = nullptr;  ///< null: only the other leg has it
  const OpValue* target = nullptr;
};

/// The first that differs; names of those that nothing can be said of go to `unknown`.
std::optional<Part> first_difference(const std::vector<OpValue>& source,
                                     const std::vector<OpValue>& target,
                                     std::vector<std::string>* unknown = nullptr) {
  std::optional<Part> first;
  for (const OpValue& value : source) {
    const OpValue* other = find(target, value);
    const Likeness likeness = other ? compare(value, *other) : Likeness::differs;
    if (likeness == Likeness::unknown && unknown) unknown->push_back(value.name);
    if (likeness == Likeness::differs && !first) first = Part{&value, other};
  }
  for (const OpValue& value : target)
    if (!first && !find(source, value)) first = Part{nullptr, &value};
  return first;
}

Side side_of(const OpValue* value) {
  Side side;
  if (value == nullptr) return side;
  side.present = true;
  side.dtype = value->dtype;
  side.shape = value->shape;
  if (value->text) {
    side.value = Value(*value->text);
  } else {
    side.digest = value->digest;
  }
  return side;
}

OperatorReport describe(const OpRecord& op) {
  OperatorReport report;
  report.where.phase = "op:" + std::to_string(op.number);
  report.name = op.full_name();
  report.phase = op.phase;
  report.module = op.module;
  report.inside = op.inside;
  return report;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

OperatorReport parting(const OpRecord& source, const OpRecord& target, const Part& output) {
  OperatorReport report = describe(source);
  std::vector<std::string> unknown;
  const auto input = first_difference(source.inputs, target.inputs, &unknown);
  report.differs = input ? "inputs" : "outputs";
  const Part& part = input ? *input : output;
  report.argument = (part.source ? part.source : part.target)->name;
  report.uninterrupted = side_of(part.source);
  report.resumed = side_of(part.target);
  if (input) {
    report.evidence.push_back(
        "no operator before it parts: the difference comes from outside of the operators of this "
        "step (state, data, or memory that was written by other means)");
  } else if (source.random) {
    report.evidence.push_back("it draws random numbers: the stream that it draws from differs");
  } else {
    report.evidence.push_back(
        "equal inputs, other outputs: a kernel that does not repeat itself or runs otherwise, or "
        "state of its own");
  }
  if (!unknown.empty()) {
    report.evidence.push_back("not compared, as their bytes could not be told: " + joined(unknown));
  }
  return report;
}

OperatorReport lone(const OpPair& pair) {
  const OpRecord& op = pair.first ? *pair.first : *pair.second;
  OperatorReport report = describe(op);
  report.differs = "sequence";
  report.evidence.push_back(pair.first ? "only the uninterrupted leg ran it"
                                       : "only the resumed leg ran it; its number is of that leg");
  return report;
}

void tell_both(const OpRecords& source, const OpRecords& target, const OpComparison& comparison,
               OperatorReport& report) {
  if (source.threads != target.threads) {
    report.evidence.push_back("operators run on " + std::to_string(source.threads) +
                              " threads in the uninterrupted leg, on " +
                              std::to_string(target.threads) + " in the resumed one");
  }
  if (comparison.only_source + comparison.only_target > 0 && report.differs != "sequence") {
    report.evidence.push_back(
        "operators that only one leg ran before it: " + std::to_string(comparison.only_source) +
        " uninterrupted, " + std::to_string(comparison.only_target) + " resumed");
  }
}

}  // namespace

OpComparison compare_operators(const OpRecords& source, const OpRecords& target) {
  OpComparison result;
  std::optional<OperatorReport> sequence;
  for (const OpPair& pair : align_operators(source.operators, target.operators)) {
    if (!pair.first || !pair.second) {
      ++(pair.first ? result.only_source : result.only_target);
      if (!sequence) {
        sequence = lone(pair);
        sequence->same_before = result.compared;
      }
      continue;
    }
    if (const auto output = first_difference(pair.first->outputs, pair.second->outputs)) {
      result.first = parting(*pair.first, *pair.second, *output);
      result.first->same_before = result.compared;
      break;
    }
    ++result.compared;
  }
  if (!result.first) result.first = sequence;
  if (result.first) tell_both(source, target, result, *result.first);
  return result;
}

}  // namespace samestep
