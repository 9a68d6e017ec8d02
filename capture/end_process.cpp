#include "capture/end_process.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

#include "capture/run_folder.h"
#include "checkpoint/files/folder.h"

namespace samestep {
namespace {

constexpr auto kWait = std::chrono::seconds(10);
constexpr auto kPause = std::chrono::milliseconds(20);

std::string mark_of(const RunFolder& folder, int rank) {
  return folder.root() + "/rank-" + std::to_string(rank) + ".done";
}

void meet(const RunFolder& folder, int rank, int world_size) {
  std::ofstream(mark_of(folder, rank)).flush();
  const auto until = std::chrono::steady_clock::now() + kWait;
  for (int other = 0; other < world_size && std::chrono::steady_clock::now() < until;) {
    if (is_regular_file(mark_of(folder, other)))
      ++other;
    else
      std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

void end_process(const std::string& run, int rank, int world_size) noexcept {
  try {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    if (world_size > 1) meet(RunFolder(run), rank, world_size);
  } catch (...) {  // ending early is the worst that can follow
  }
  ::_exit(0);
}

}  // namespace samestep
