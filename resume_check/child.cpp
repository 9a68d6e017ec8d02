#include "resume_check/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "resume_check/cancel.h"
#include "resume_check/descendants.h"
#include "schemas/error.h"

extern char** environ;

namespace samestep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kGraceSeconds = 10;
constexpr auto kPollShort = std::chrono::milliseconds(5);
constexpr auto kPollLong = std::chrono::milliseconds(50);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> lines;
  for (char** line = environ; *line; ++line) {
    const std::string text = *line;
    if (!added.count(text.substr(0, text.find('=')))) lines.push_back(text);
  }
  for (const auto& [name, value] : added) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// spawn's attributes and file actions, freed together.
class SpawnSetup {
 public:
  explicit SpawnSetup(const std::string& log) {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

void make_log(const std::string& path) {
  const int log = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (log < 0) {
    throw Error(ErrorCode::failed, std::strerror(errno), path, "name another work folder");
  }
  close(log);
}

pid_t spawn(const ChildRequest& request) {
  make_log(request.log);
  const SpawnSetup setup(request.log);
  const auto environment = environment_with(request.environment);
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, request.argv.front().c_str(), &setup.actions, &setup.attributes,
                   pointers(request.argv).data(), pointers(environment).data());
  if (error == ENOENT) {
    throw Error(ErrorCode::not_found, "no such program", request.argv.front(),
                "check the command after --, and PATH");
  }
  if (error != 0) {
    throw Error(ErrorCode::failed, std::string("cannot be started: ") + std::strerror(error),
                request.argv.front(), "check that it is a program you may run");
  }
  return pid;
}

int status_of(int raw) { return WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw); }

/// Waits for `pid` until `deadline`; false when it still runs then.
bool wait_until(pid_t pid, Clock::time_point deadline, int& raw) {
  while (true) {
    const pid_t ended = waitpid(pid, &raw, WNOHANG);
    if (ended == pid || (ended < 0 && errno == ECHILD)) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPollLong);
  }
}

int end_group(pid_t pid) {
  int raw = 0;
  kill(-pid, SIGTERM);
  const auto grace =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kGraceSeconds));
  if (!wait_until(pid, Clock::now() + grace, raw)) {
    kill(-pid, SIGKILL);
    waitpid(pid, &raw, 0);
  }
  return raw;
}

}  // namespace

ChildEnd run_child(const ChildRequest& request) {
  const DescendantReaper reaper;
  const auto start = Clock::now();
  const pid_t pid = spawn(request);
  ChildEnd end;
  int raw = 0;
  double told = 0;
  while (true) {
    if (waitpid(pid, &raw, WNOHANG) == pid) break;
    end.seconds = seconds_since(start);
    end.cancelled = cancel_requested();
    end.timed_out = !end.cancelled && end.seconds > request.seconds_max;
    if (end.cancelled || end.timed_out) {
      raw = end_group(pid);
      break;
    }
    if (request.tick && end.seconds - told >= 1) {
      told = end.seconds;
      request.tick(end.seconds);
    }
    std::this_thread::sleep_for(end.seconds < 1 ? kPollShort : kPollLong);
  }
  kill(-pid, SIGKILL);
  reaper.end_all();
  end.seconds = seconds_since(start);
  end.status = status_of(raw);
  return end;
}

}  // namespace samestep
