#include "capture/torch/op_trace_lane.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "capture/torch/op_trace_shared.h"
#include "capture/torch/scalar_type.h"

namespace samestep::libtorch {
namespace {

/// Calls visit(tensor, element) for each defined tensor of a list; false when it is no list of
/// tensors.
template <typename Visit>
bool visit_list(const c10::IValue& value, const Visit& visit) {
  std::int32_t element = 0;
  bool any = value.isTensorList();
  for (const c10::IValue& item : value.toListRef()) {
    if (item.isTensor()) {
      any = true;
      if (item.toTensor().defined()) visit(item.toTensor(), element);
    }
    ++element;
  }
  return any;
}

bool has_wrapper(at::ArrayRef<const c10::IValue> inputs) {
  bool found = false;
  for (const c10::IValue& value : inputs) {
    if (value.isTensor()) {
      found = found || (value.toTensor().defined() && is_wrapper(value.toTensor()));
    } else if (value.isTensorList() || value.isOptionalTensorList()) {
      visit_list(value, [&](const at::Tensor& tensor, std::int32_t) {
        found = found || is_wrapper(tensor);
      });
    }
  }
  return found;
}

template <typename Numbers>
Digest digest_of_numbers(const Numbers& numbers) {
  return digest_of_bytes(numbers.data(), numbers.size() * sizeof numbers[0]);
}

/// Nothing for what holds no bytes that enter a result by themselves (None, devices, generators).
std::optional<OpValue> plain_value(const c10::IValue& value) {
  OpValue plain;
  const auto bits = [&plain](OpValue::Kind kind, std::uint64_t number) {
    plain.kind = kind;
    plain.digest.low = number;
  };
  if (value.isInt()) {
    bits(OpValue::Kind::integer, static_cast<std::uint64_t>(value.toInt()));
  } else if (value.isDouble()) {
    bits(OpValue::Kind::number, std::bit_cast<std::uint64_t>(value.toDouble()));
  } else if (value.isBool()) {
    bits(OpValue::Kind::boolean, value.toBool());
  } else if (value.isString()) {
    plain.kind = OpValue::Kind::list;
    plain.digest = digest_of_bytes(value.toStringRef().data(), value.toStringRef().size());
  } else if (value.isIntList()) {
    plain.kind = OpValue::Kind::list;
    plain.digest = digest_of_numbers(value.toIntVector());
  } else if (value.isDoubleList()) {
    plain.kind = OpValue::Kind::list;
    plain.digest = digest_of_numbers(value.toDoubleVector());
  } else {
    return std::nullopt;
  }
  return plain;
}

}  // namespace

/// The same for one tensor or a list of them.
template <typename Visit>
bool Lane::visit_tensors(const c10::IValue& value, std::uint16_t place, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor(), Spot{place, -1});
    return true;
  }
  if (!value.isTensorList() && !value.isOptionalTensorList()) return false;
  return visit_list(value, [&](const at::Tensor& tensor, std::int32_t element) {
    visit(tensor, Spot{place, element});
  });
}

void Lane::add_plain(const c10::IValue& value, std::uint16_t place) {
  if (auto plain = plain_value(value)) {
    plain->place = place;
    values.push_back(*plain);
  }
}

void Lane::add_tensor(const at::Tensor& tensor, Spot spot, TensorReading reading, bool mutated) {
  OpValue value;
  value.reading = reading.reading;
  value.digest = reading.digest;
  value.dtype = dtype_of(tensor.scalar_type()).value_or(Dtype::none);
  value.mutated = mutated;
  value.place = spot.place;
  value.element = spot.element;
  value.layout = static_cast<std::uint32_t>(layouts.size());
  if (tensor.layout() == at::kStrided && !tensor.is_nested() &&
      !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
    value.dimensions = static_cast<std::uint16_t>(tensor.dim());
    layouts.insert(layouts.end(), tensor.sizes().begin(), tensor.sizes().end());
    layouts.insert(layouts.end(), tensor.strides().begin(), tensor.strides().end());
  }
  values.push_back(value);
}

void Lane::read_input(const c10::IValue& value, std::uint16_t place) {
  const bool tensors = visit_tensors(value, place, [&](const at::Tensor& tensor, Spot spot) {
    const bool said = schema_->writes(place);
    if (said || schema_->may_hide_writes) {
      written_.push_back({decltype(Written::tensor)(tensor.getIntrusivePtr()), spot, said});
    }
    if (schema_->overwrites(place)) return;
    add_tensor(tensor, spot, shared_.memory.input(tensor), false);
  });
  if (!tensors) add_plain(value, place);
}

void Lane::begin(const at::RecordFunction& function) {
  const std::lock_guard lock(mutex);
  if (leaf_ != nullptr) return;
  const OpSchema& schema = shared_.schemas.of(function);
  if (!schema.is_operator || schema.is_composite || has_wrapper(function.inputs())) {
    frames_.push_back({&function, &schema});
    backward_ranges_ += schema.is_backward_range;
    return;
  }
  leaf_ = &function;
  schema_ = &schema;
  row_ = next_row(function);
  if (schema.only_views) return;
  std::uint16_t place = 0;
  for (const c10::IValue& value : function.inputs()) read_input(value, place++);
  row_.inputs = static_cast<std::uint32_t>(values.size()) - row_.values;
}

OpRow Lane::next_row(const at::RecordFunction& function) const {
  OpRow row;
  row.schema = schema_;
  row.phase = !backward_.empty() || backward_ranges_ > 0 ? OpPhase::backward : phase;
  row.sequence = !backward_.empty() ? backward_.back() : function.seqNr();
  row.values = static_cast<std::uint32_t>(values.size());
  if (!modules.empty()) row.module = modules.back();
  for (const Frame& frame : frames_)
    if (frame.schema->is_operator) row.inside = frame.schema;
  return row;
}

void Lane::add_results(const std::vector<c10::IValue>& results) {
  std::uint16_t place = 0;
  for (const c10::IValue& value : results) {
    const bool tensors = visit_tensors(value, place, [&](const at::Tensor& tensor, Spot spot) {
      if (schema_->leaves_unset) return shared_.memory.leave_unset(tensor);
      const bool there = !schema_->is_asynchronous;
      add_tensor(tensor, spot, there ? shared_.memory.output(tensor) : TensorReading{}, false);
    });
    if (!tensors) add_plain(value, place);
    ++place;
  }
}

/// Arguments that the schema says are written to and that are none of the results.
void Lane::add_written(const std::vector<c10::IValue>& results) {
  const auto is_result = [&](const at::Tensor& tensor) {
    return std::any_of(results.begin(), results.end(), [&](const c10::IValue& value) {
      return value.isTensor() && value.toTensor().is_same(tensor);
    });
  };
  for (const Written& written : written_) {
    if (!written.said) continue;
    const at::Tensor tensor(written.tensor.lock());
    if (!tensor.defined() || is_result(tensor)) continue;
    add_tensor(tensor, written.spot, shared_.memory.output(tensor), true);
  }
}

void Lane::forget_written() {
  for (const Written& written : written_) {
    const at::Tensor tensor(written.tensor.lock());
    if (tensor.defined()) shared_.memory.wrote(tensor);
  }
}

void Lane::end(const at::RecordFunction& function) {
  const std::lock_guard lock(mutex);
  if (!frames_.empty() && frames_.back().function == &function) {
    backward_ranges_ -= frames_.back().schema->is_backward_range;
    frames_.pop_back();
    return;
  }
  // What is none of both has begun before the trace, or does the work of the leaf.
  if (leaf_ != &function) return;
  leaf_ = nullptr;
  if (schema_->only_views) return;
  forget_written();
  const auto outputs = static_cast<std::uint32_t>(values.size());
  add_results(function.outputs());
  if (!schema_->leaves_unset && !schema_->is_asynchronous) add_written(function.outputs());
  written_.clear();
  if (schema_->leaves_unset) return;
  row_.outputs = static_cast<std::uint32_t>(values.size()) - outputs;
  row_.number = shared_.count.fetch_add(1) + 1;
  rows.push_back(row_);
}

void Lane::begin_backward(const at::RecordFunction& function) {
  const std::lock_guard lock(mutex);
  backward_.push_back(function.seqNr());
}

void Lane::end_backward() {
  const std::lock_guard lock(mutex);
  if (!backward_.empty()) backward_.pop_back();
  if (backward_.empty()) phase = shared_.after_backward;
}

}  // namespace samestep::libtorch
