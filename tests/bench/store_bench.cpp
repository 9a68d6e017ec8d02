// Captures of a checkpoint's state, one measure a line of standard input; driven by store_bench.py,
// which measures the peers between them.
//
//     store_bench STATE OTHER WORK
//
// STATE is a checkpoint; its fields are read into memory first. OTHER is one that holds the same.
// Commands: digest, raw, planes, unchanged (a second capture of the same state), codec (chunks
// coded in memory), restore (all bytes of the last capture, compared), diff (the last two captures
// by their manifests), diff_equal (STATE and OTHER by their data). Each answers one JSON object.
#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>

#include "capture/earlier_captures.h"
#include "capture/run_folder.h"
#include "capture/run_reader.h"
#include "capture/state_record.h"
#include "checkpoint/blob_codec.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/crew.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/hasher.h"
#include "schemas/check.h"
#include "tools/diff_subjects.h"

namespace samestep {
namespace {

struct Held {
  Field field;
  std::vector<std::byte> memory;
  FieldBytesPtr bytes;
};

std::vector<Held> hold(const std::string& path) {
  const Checkpoint checkpoint = open_checkpoint(path);
  std::vector<Held> state;
  for (const StateEntry& entry : checkpoint.tree.entries()) {
    if (!entry.bytes || entry.field.kind == FieldKind::opaque) continue;
    Held held{entry.field, {}, nullptr};
    entry.bytes->stream([&](std::span<const std::byte> piece) {
      held.memory.insert(held.memory.end(), piece.begin(), piece.end());
    });
    state.push_back(std::move(held));
  }
  for (Held& held : state) {
    TensorView view;
    view.base = held.memory.data();
    view.dtype = Dtype::uint8;
    view.shape = {static_cast<std::int64_t>(held.memory.size())};
    view.strides = {1};
    held.bytes = tensor_bytes(view, nullptr);
  }
  return state;
}

/// Anonymous memory of this process in KiB: now, or at its highest since clear_peak().
std::uint64_t status_kib(const char* key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::stoull(line.substr(std::strlen(key)));
  }
  return 0;
}

void clear_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

double cpu_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Bench {
 public:
  Bench(std::string path, std::string other, std::string work)
      : path_(std::move(path)),
        other_(std::move(other)),
        state_(hold(path_)),
        work_(std::move(work)) {
    for (const Held& held : state_) bytes_ += held.memory.size();
  }

  void measure(const std::string& command) {
    prepare(command);
    clear_peak();
    const std::uint64_t before = status_kib("VmRSS:");
    const double cpu = cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t written = run(command);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    std::printf(
        "{\"wall\": %.6f, \"cpu\": %.6f, \"bytes\": %llu, \"written\": %llu, \"peak_extra_kib\": "
        "%lld}\n",
        wall.count(), cpu_seconds() - cpu, static_cast<unsigned long long>(bytes_),
        static_cast<unsigned long long>(written),
        static_cast<long long>(status_kib("VmHWM:")) - static_cast<long long>(before));
    std::fflush(stdout);
  }

 private:
  void prepare(const std::string& command) {
    if (command == "raw" || command == "planes") {  // written anew
      remove_tree(work_);
      make_folders(work_);
      earlier_ = EarlierCaptures();
      step_ = 0;
    }
  }

  std::uint64_t run(const std::string& command) {
    if (command == "digest") return digest();
    if (command == "raw") return capture(StorePolicy::raw);
    if (command == "planes" || command == "unchanged") return capture(StorePolicy::planes);
    if (command == "codec") return code();
    if (command == "restore") return restore();
    if (command == "diff") return diff();
    if (command == "diff_equal") return diff_equal();
    SAMESTEP_CHECK(!"a command that is not known");
    return 0;
  }

  std::uint64_t digest() {
    std::uint64_t sum = 0;
    for (const Held& held : state_)
      sum ^= digest_of(*held.bytes, held.field.dtype, held.field.shape).root.low;
    return sum == 0 ? 1 : 0;
  }

  std::uint64_t capture(StorePolicy policy) {
    StateRecord record(RunFolder(work_), 0, 1, ++step_, "begin", &earlier_, policy);
    for (const Held& held : state_) record.add(held.field, *held.bytes);
    const std::uint64_t written = record.pack_bytes();
    record.commit();
    return written;
  }

  std::uint64_t code() {
    std::vector<std::uint64_t> sums(state_.size());
    share_work(state_.size(), threads_to_use(), [&](std::size_t i) {
      auto desk = take_desk();
      auto& [encoder, frame] = *desk;
      const Field& field = state_[i].field;
      const ChunkLayout layout = chunk_layout(field.dtype, field.shape);
      const std::span memory(state_[i].memory);
      constexpr std::size_t kGroupBytes = 16 * kChunkBytes;  // as a capture codes them
      for (std::size_t begin = 0; begin < memory.size(); begin += kChunkBytes) {
        if (begin % kGroupBytes == 0) encoder.start(layout, begin / layout.planes, 16);
        const std::size_t size = std::min<std::size_t>(kChunkBytes, memory.size() - begin);
        sums[i] += encoder.encode(memory.subspan(begin, size), frame).bytes;
      }
      const std::lock_guard lock(mutex_);
      desks_.push_back(std::move(desk));
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t part : sums) sum += part;
    return sum;
  }

  /// Bytes that are not as they were: 0.
  std::uint64_t restore() {
    const auto records = read_capture(work_);
    std::uint64_t wrong = 0;
    for (const Held& held : state_) {
      const StateEntry* entry = records.at(0).tree.find(held.field.path);
      SAMESTEP_CHECK(entry != nullptr);
      std::size_t at = 0;
      entry->bytes->stream([&](std::span<const std::byte> piece) {
        const bool fits = at + piece.size() <= held.memory.size();
        if (!fits || std::memcmp(held.memory.data() + at, piece.data(), piece.size()) != 0)
          wrong += piece.size();
        at += piece.size();
      });
      if (at != held.memory.size()) ++wrong;
    }
    return wrong;
  }

  /// Findings between the last two captures: 0.
  std::uint64_t diff() {
    const RunFolder run(work_);
    return diff_subjects(run.capture(step_ - 1), run.capture(step_)).findings.size();
  }

  /// Findings between the two checkpoints, all data read: 0.
  std::uint64_t diff_equal() const { return diff_subjects(path_, other_).findings.size(); }

  /// Made once, as those of a pack's writer are.
  struct Desk {
    ChunkEncoder encoder;
    std::vector<std::byte> frame = std::vector<std::byte>(kChunkBytes + kFrameExtraBytes);
  };

  std::unique_ptr<Desk> take_desk() {
    const std::lock_guard lock(mutex_);
    if (desks_.empty()) return std::make_unique<Desk>();
    auto desk = std::move(desks_.back());
    desks_.pop_back();
    return desk;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Desk>> desks_;
  std::string path_, other_;
  std::vector<Held> state_;
  std::string work_;
  std::uint64_t bytes_ = 0;
  std::int64_t step_ = 0;
  EarlierCaptures earlier_;
};

}  // namespace
}  // namespace samestep

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("store_bench STATE OTHER WORK\n", stderr);
    return 2;
  }
  samestep::Bench bench(argv[1], argv[2], argv[3]);
  for (std::string command; std::getline(std::cin, command);) bench.measure(command);
  return 0;
}
