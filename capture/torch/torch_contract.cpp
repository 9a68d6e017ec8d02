#include "capture/torch/torch_contract.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/autocast_mode.h>
#include <torch/optim/optimizer.h>
#include <torch/version.h>

#include <limits>
#include <map>

#include "capture/torch/scalar_type.h"
#include "checkpoint/files/mapped_file.h"
#include "checkpoint/hasher.h"
#include "schemas/json/writer.h"

namespace samestep::libtorch {
namespace {

using Clauses = std::map<std::string, std::string>;

std::string flag(bool on) { return on ? "true" : "false"; }

std::string dtype_text(c10::ScalarType type) {
  const auto dtype = dtype_of(type);
  return json_string(dtype ? to_string(*dtype) : "unknown");
}

std::string precision_text(at::Float32MatmulPrecision precision) {
  switch (precision) {
    case at::Float32MatmulPrecision::HIGHEST:
      return json_string("highest");
    case at::Float32MatmulPrecision::HIGH:
      return json_string("high");
    case at::Float32MatmulPrecision::MEDIUM:
      return json_string("medium");
  }
  return json_string("unknown");
}

bool flushes_denormals() {
  volatile double least = std::numeric_limits<double>::min();
  return least / 2 == 0.0;
}

void add_flags(Clauses& clauses) {
  const auto& context = at::globalContext();
  clauses["torch.version"] = json_string(TORCH_VERSION);
  clauses["torch.num_threads"] = std::to_string(at::get_num_threads());
  clauses["torch.num_interop_threads"] = std::to_string(at::get_num_interop_threads());
  clauses["torch.deterministic_algorithms"] = flag(context.deterministicAlgorithms());
  clauses["torch.float32_matmul_precision"] = precision_text(context.float32MatmulPrecision());
  clauses["torch.default_dtype"] = dtype_text(at::get_default_dtype_as_scalartype());
  clauses["torch.cpu_capability"] = json_string(at::get_cpu_capability());
  clauses["torch.mkldnn"] = flag(context.userEnabledMkldnn());
  clauses["torch.autocast.cpu"] = flag(at::autocast::is_autocast_enabled(at::kCPU));
  clauses["torch.autocast.cpu_dtype"] = dtype_text(at::autocast::get_autocast_dtype(at::kCPU));
  clauses["torch.flush_denormal"] = flag(flushes_denormals());
  clauses["torch.cudnn.deterministic"] = flag(context.deterministicCuDNN());
  clauses["torch.cudnn.benchmark"] = flag(context.benchmarkCuDNN());
}

/// Another program may compute other bits.
void add_program(Clauses& clauses) {
  try {
    const auto file = MappedFile::open("/proc/self/exe");
    Hasher hasher;
    hasher.update(file->bytes());
    clauses["program.digest"] = json_string(hasher.finish(Dtype::none, {}).root.hex());
  } catch (const std::exception&) {  // not to be read: then there is no such clause
  }
}

Clauses library_clauses(int world_size, const NamedOptimizers& optimizers) {
  Clauses clauses;
  add_flags(clauses);
  clauses["distributed.world_size"] = std::to_string(world_size);
  for (const auto& [component, optimizer] : optimizers)
    clauses[component + ".class"] = json_string(c10::demangle(typeid(*optimizer).name()));
  return clauses;
}

Contract contract_of(const Clauses& clauses) {
  Contract contract;
  for (const auto& [name, value] : clauses) contract.clauses.push_back({name, value});
  return contract;
}

}  // namespace

Contract torch_contract(int world_size, const NamedOptimizers& optimizers) {
  Clauses clauses = library_clauses(world_size, optimizers);
  add_program(clauses);
  return contract_of(clauses);
}

Contract library_contract(int world_size, const NamedOptimizers& optimizers) {
  return contract_of(library_clauses(world_size, optimizers));
}

}  // namespace samestep::libtorch
