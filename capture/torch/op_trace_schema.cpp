#include "capture/torch/op_trace_schema.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <ATen/core/function_schema.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace samestep::libtorch {
namespace {

constexpr std::array<std::string_view, 11> kLeaveUnset{
    "empty",           "empty_like", "empty_strided",     "empty_permuted",
    "empty_quantized", "new_empty",  "new_empty_strided", "_empty_affine_quantized",
    "resize_",         "resize_as_", "_resize_output_"};

// In place, and none of the old bytes counts.
constexpr std::array<std::string_view, 17> kOverwrite{
    "zero_",          "fill_",          "copy_",   "normal_",    "uniform_",       "random_",
    "bernoulli_",     "exponential_",   "cauchy_", "geometric_", "set_",           "log_normal_",
    "_foreach_zero_", "_foreach_copy_", "resize_", "resize_as_", "_resize_output_"};

// Their schema says nothing of it: the argument is nobody else's.
constexpr std::array<std::string_view, 1> kViewsUnsaid{"_unsafe_view"};

using Key = c10::DispatchKey;

constexpr std::string_view kAten = "aten::";
constexpr std::string_view kBackwardRange = "autograd::engine::evaluate_function";

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void read_arguments(const c10::FunctionSchema& schema, std::string_view base, OpSchema& made) {
  for (const auto& argument : schema.arguments()) {
    const auto* alias = argument.alias_info();
    const bool writes = alias != nullptr && alias->isWrite();
    const bool first = made.arguments.empty();
    made.arguments.push_back(argument.name());
    made.written.push_back(writes);
    // An argument for the result (`out`) is given by name alone.
    made.overwritten.push_back(writes &&
                               (argument.kwarg_only() || (first && is_one_of(kOverwrite, base))));
  }
}

bool returns_only_views(const c10::FunctionSchema& schema, std::string_view base) {
  if (is_one_of(kViewsUnsaid, base)) return true;
  const auto& returns = schema.returns();
  return !returns.empty() && std::all_of(returns.begin(), returns.end(), [](const auto& result) {
    return result.alias_info() != nullptr && !result.alias_info()->isWrite();
  });
}

std::unique_ptr<OpSchema> read(const at::RecordFunction& function) {
  auto made = std::make_unique<OpSchema>();
  made->name = function.name();
  made->is_backward_range = made->name.starts_with(kBackwardRange);
  const auto schema = function.operator_schema();
  if (!schema) return made;
  const bool native = made->name.starts_with(kAten);
  const std::string_view base =
      native ? std::string_view(made->name).substr(kAten.size()) : std::string_view();
  made->is_operator = true;
  made->overload = schema->overload_name();
  read_arguments(*schema, base, *made);
  const bool writes =
      std::find(made->written.begin(), made->written.end(), true) != made->written.end();
  made->only_views = !writes && returns_only_views(*schema, base);
  made->leaves_unset = is_one_of(kLeaveUnset, base);
  made->may_hide_writes = !native;
  made->is_asynchronous =
      made->name.starts_with("c10d::") || (made->name.starts_with("_c10d_functional::") &&
                                           made->name != "_c10d_functional::wait_tensor");
  const auto handle = c10::Dispatcher::singleton().findSchema(schema->operator_name());
  if (!handle) return made;
  made->draws_random = handle->hasTag(at::Tag::nondeterministic_seeded);
  made->is_composite = handle->hasKernelForDispatchKey(Key::CompositeImplicitAutograd) &&
                       !handle->hasKernelForDispatchKey(Key::CPU) &&
                       !handle->hasKernelForDispatchKey(Key::CUDA);
  return made;
}

}  // namespace

const OpSchema& OpSchemas::of(const at::RecordFunction& function) {
  const char* name = function.name();
  const std::lock_guard lock(mutex_);
  auto& at_address = known_[name];
  for (const auto& schema : at_address)
    if (schema->name == name) return *schema;
  return *at_address.emplace_back(read(function));
}

}  // namespace samestep::libtorch
