#include "resume_check/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
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
    if (!added.contains(text.substr(0, text.find('=')))) lines.push_back(text);
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

void make_log(const std::string& path) {
  const int log = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (log < 0) {
    throw Error(ErrorCode::failed, std::strerror(errno), path, "name another work folder");
  }
  close(log);
}

/// What the new process does between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* argv, char* const* environment, const char* log, pid_t parent,
                         int tell) {
  // Whatever ends us ends the leg: nobody would be left to do it.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  const int output = open(log, O_WRONLY | O_APPEND);
  if (nothing >= 0 && output >= 0 && dup2(nothing, 0) == 0 && dup2(output, 1) == 1 &&
      dup2(output, 2) == 2) {
    if (nothing > 2) close(nothing);
    if (output > 2) close(output);
    execvpe(argv[0], argv, environment);
  }
  const int error = errno;
  [[maybe_unused]] const auto told = write(tell, &error, sizeof error);
  _exit(127);
}

/// The error with which become() failed; 0 when another program runs now.
int error_of_exec(int ask) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(ask, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

pid_t spawn(const ChildRequest& request) {
  make_log(request.log);
  const auto environment = environment_with(request.environment);
  const auto argv = pointers(request.argv), lines = pointers(environment);
  std::array<int, 2> pipe{};
  const pid_t parent = getpid();
  int error = pipe2(pipe.data(), O_CLOEXEC) == 0 ? 0 : errno;
  pid_t pid = -1;
  if (error == 0) {
    pid = fork();
    if (pid == 0) become(argv.data(), lines.data(), request.log.c_str(), parent, pipe[1]);
    error = pid < 0 ? errno : 0;
    close(pipe[1]);
    if (pid > 0) error = error_of_exec(pipe[0]);
    close(pipe[0]);
    if (pid > 0 && error != 0) waitpid(pid, nullptr, 0);
  }
  if (error == ENOENT) {
    throw Error(ErrorCode::not_found, "no such program", "\"" + request.argv.front() + "\"",
                "check the command after --, and PATH");
  }
  if (error != 0) {
    throw Error(ErrorCode::failed, std::string("cannot be started: ") + std::strerror(error),
                request.argv.front(), "check that it is a program you may run");
  }
  setpgid(pid, pid);  // whoever of the two comes first
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
