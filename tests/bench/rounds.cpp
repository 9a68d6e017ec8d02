#include "rounds.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace samestep::bench {
namespace {

constexpr double kDisturbedCores = 0.1;

double own_cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Busy time of all processors, and time stolen by other machines.
double all_cpu() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  file >> cpu >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal;
  return (user + nice + system + irq + soft + steal) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

struct Round {
  std::vector<Timing> timings;
  double others = 0;  ///< cores that other processes took
};

Round one_round(const std::vector<Contestant>& contestants, std::size_t first) {
  Round round{std::vector<Timing>(contestants.size()), 0};
  const double all_before = all_cpu(), own_before = own_cpu();
  const auto begun = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const std::size_t which = (first + i) % contestants.size();
    const double cpu = own_cpu();
    const auto started = std::chrono::steady_clock::now();
    contestants[which].run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
    round.timings[which] = {wall.count(), own_cpu() - cpu};
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begun;
  // The kernel counts ticks of 10 ms: short rounds are not judged by one of them.
  const double others = all_cpu() - all_before - (own_cpu() - own_before) - 0.02;
  round.others = std::max(others, 0.0) / wall.count();
  return round;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double status_mib(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::stod(line.substr(key.size() + 1)) / 1024;
  }
  return 0;
}

}  // namespace

Rounds run_rounds(const std::vector<Contestant>& contestants, int rounds) {
  one_round(contestants, 0);
  std::vector<Round> all;
  const auto quiet = [](const Round& round) { return round.others <= kDisturbedCores; };
  for (int i = 0; i < 2 * rounds && std::count_if(all.begin(), all.end(), quiet) < rounds; ++i)
    all.push_back(one_round(contestants, static_cast<std::size_t>(i)));
  std::stable_sort(all.begin(), all.end(),
                   [](const Round& a, const Round& b) { return a.others < b.others; });
  all.resize(std::min<std::size_t>(all.size(), static_cast<std::size_t>(rounds)));
  Rounds result;
  result.counted = static_cast<int>(all.size());
  result.disturbed =
      result.counted - static_cast<int>(std::count_if(all.begin(), all.end(), quiet));
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    std::vector<double> wall, cpu;
    for (const Round& round : all) {
      wall.push_back(round.timings[i].wall_s);
      cpu.push_back(round.timings[i].cpu_s);
    }
    result.timings.push_back({median(wall), median(cpu)});
  }
  return result;
}

PeakMemory::PeakMemory() {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew, where that is allowed
  before_ = status_mib("VmRSS:");
}

double PeakMemory::mib() const { return std::max(status_mib("VmHWM:") - before_, 0.0); }

bool print(const Measure& measure) {
  const bool has_bar = measure.bar > 0;
  const bool within =
      !has_bar || (measure.at_least ? measure.ratio >= measure.bar : measure.ratio <= measure.bar);
  std::ostringstream line;
  line.precision(4);
  line << "{\"name\": \"" << measure.name << "\", \"ours\": " << measure.ours
       << ", \"peer\": " << measure.peer << ", \"ratio\": " << measure.ratio << ", \"unit\": \""
       << measure.unit << "\", \"wall_s\": " << measure.timing.wall_s
       << ", \"cpu_s\": " << measure.timing.cpu_s << ", \"peak_mib\": " << measure.peak_mib
       << ", \"rounds\": " << measure.rounds << ", \"disturbed\": " << measure.disturbed;
  if (has_bar)
    line << ", \"bar\": \"" << (measure.at_least ? ">= " : "<= ") << measure.bar
         << "\", \"within\": " << (within ? "true" : "false");
  line << "}";
  std::puts(line.str().c_str());
  std::fflush(stdout);
  return within;
}

}  // namespace samestep::bench
