// What the lanes of one trace share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/torch/op_trace_lane.h"

namespace samestep::libtorch {

struct TraceShared {
  TraceMemory memory;
  OpSchemas schemas;
  OpPhase after_backward = OpPhase::between;
  int threads = 0;  ///< of an operator
  std::atomic<std::uint64_t> count{0};

  std::vector<std::shared_ptr<Lane>> lanes;  ///< guarded by the owner of the trace
  std::string error;                         ///< that ended it

  std::mutex modules_mutex;
  std::vector<std::string> modules;
  std::unordered_map<std::string, std::int32_t> module_numbers;

  std::int32_t number_of_module(std::string_view name) {
    const std::lock_guard lock(modules_mutex);
    const auto [at, is_new] =
        module_numbers.emplace(std::string(name), static_cast<std::int32_t>(modules.size()));
    if (is_new) modules.emplace_back(name);
    return at->second;
  }
};

}  // namespace samestep::libtorch
