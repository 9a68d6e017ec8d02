// Recorder: obeys one session of a plan with what the probes see.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "capture/session.h"
#include "capture/torch/background_capture.h"
#include "capture/torch/dead_gradients.h"
#include "capture/torch/session.h"

namespace samestep::libtorch {

/// As Session says of its calls.
class Recorder {
 public:
  /// Null when no plan is set, and when another process records this rank.
  static std::unique_ptr<Recorder> open(const Session::Options& options, Probes& probes);

  Recorder(std::unique_ptr<samestep::Session> session, const Session::Options& options,
           Probes& probes, int rank, int world_size);

  bool begin(at::ArrayRef<at::Tensor> batch);
  bool end();
  void exit();
  void before_optimizer_step();
  void loss(const at::Tensor& loss);
  void forward(const std::string& module, const at::Tensor& output);
  void checkpoint_begins() noexcept { ++saves_running_; }
  /// In the thread that opened this it looks at streams and cursors as well: a batch that is
  /// fetched before the next begin moves them.
  void checkpoint_written(const std::string& path) noexcept;
  void restored(const std::string& path);

 private:
  using Depth = Decision::Record;

  /// Runs `work`. Its error, and one that a capture in the background has met, is told and
  /// recorded, and thrown on only where that was asked for, when all else is done.
  void guarded(const char* where, const std::function<void()>& work);
  void tell(const char* where, const std::exception& error) noexcept;
  /// Of a capture in the background: it is in the works no more. With `wait` also: it is durable.
  void finish_background(bool wait);
  /// Runs `work` upon it; its error is told, and it is then no capture.
  void on_background(const std::function<void()>& work);
  void obey(const Decision& decision, at::ArrayRef<at::Tensor> batch);
  void write(const std::string& phase, Depth depth, at::ArrayRef<at::Tensor> batch);
  void write_fields(Depth depth, at::ArrayRef<at::Tensor> batch, std::vector<std::string>& unread);
  void remember_gradients();
  void tell_dead_gradients(bool step_ended);
  void tell_saves();
  /// `,"after":{...},"undeclared":{...}`: digests by path.
  std::string save_marks() const;
  void trace_step();
  void trace(const std::string& phase, const Digest& digest);
  void trace_operators();
  void tell_operators();
  bool is_last() const;
  bool is_affordable(const Decision& decision) const;
  std::int64_t total() const { return session_->plan().start + completed_; }
  /// Closes the record; ends the process unless the trainer is to do that.
  void finish();
  void close();

  std::unique_ptr<samestep::Session> session_;
  Session::Options options_;
  Probes& probes_;
  BackgroundCapture background_;
  int rank_, world_size_;
  const std::thread::id thread_ = std::this_thread::get_id();
  std::int64_t completed_ = 0;
  std::int64_t ended_at_ = -1;  // an "end" was recorded after so many steps
  std::int64_t captured_at_ = -1;
  bool in_step_ = false, traces_ = false, traces_operators_ = false, done_ = false;
  DeadGradients dead_gradients_;
  std::atomic<int> saves_running_{0};
  std::mutex saves_mutex_;
  std::vector<std::string> saves_pending_;  // facts of each, JSON without its end
  bool saved_in_step_ = false;
  std::exception_ptr failure_;  // to be thrown out of the call that is being made
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::duration spent_{};
};

}  // namespace samestep::libtorch
