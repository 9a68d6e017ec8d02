#include "capture/native_contract.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "capture/environment_names.h"
#include "schemas/json/writer.h"

namespace samestep {
namespace {

bool is_relevant(std::string_view name) {
  return std::ranges::any_of(environment_names(), [name](const EnvironmentName& known) {
    const std::string_view pattern = known.name;
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : name == pattern;
  });
}

void add_environment(std::vector<Clause>& clauses) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_relevant(text.substr(0, equals))) continue;
    clauses.push_back(
        {"env." + std::string(text.substr(0, equals)), json_string(text.substr(equals + 1))});
  }
}

void add_cpu_capability([[maybe_unused]] std::vector<Clause>& clauses) {
#if defined(__x86_64__)
  std::string text;
  const auto add = [&text](const char* name, bool is_there) {
    if (is_there) text += (text.empty() ? "" : ",") + std::string(name);
  };
  add("avx", __builtin_cpu_supports("avx"));
  add("avx2", __builtin_cpu_supports("avx2"));
  add("fma", __builtin_cpu_supports("fma"));
  add("avx512f", __builtin_cpu_supports("avx512f"));
  add("avx512bw", __builtin_cpu_supports("avx512bw"));
  add("avx512dq", __builtin_cpu_supports("avx512dq"));
  add("avx512vl", __builtin_cpu_supports("avx512vl"));
  add("avx512vnni", __builtin_cpu_supports("avx512vnni"));
  add("avx512bf16", __builtin_cpu_supports("avx512bf16"));
  clauses.push_back({"host.cpu_capability", json_string(text)});
#endif
}

void add_cpu_model(std::vector<Clause>& clauses) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    clauses.push_back({"host.cpu_model", json_string(line.substr(colon + 2))});
    return;
  }
}

void add_hardware_threads(std::vector<Clause>& clauses) {
  cpu_set_t allowed;
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const auto count =
      known ? static_cast<unsigned>(CPU_COUNT(&allowed)) : std::thread::hardware_concurrency();
  clauses.push_back({"host.hardware_threads", std::to_string(count)});
}

}  // namespace

Contract native_contract() {
  Contract contract;
  add_environment(contract.clauses);
  add_cpu_capability(contract.clauses);
  add_cpu_model(contract.clauses);
  add_hardware_threads(contract.clauses);
  return merge_contracts(contract, {});
}

Contract merge_contracts(const Contract& preferred, const Contract& other) {
  std::map<std::string, std::string> merged;
  for (const Clause& clause : preferred.clauses) merged.emplace(clause.name, clause.value);
  for (const Clause& clause : other.clauses) merged.emplace(clause.name, clause.value);
  Contract contract;
  for (auto& [name, value] : merged) contract.clauses.push_back({name, value});
  return contract;
}

}  // namespace samestep
