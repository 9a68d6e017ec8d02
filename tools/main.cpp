// The command. The one place where a verdict or an error becomes an exit code.
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "checkpoint/files/bus_errors.h"
#include "schemas/check.h"
#include "schemas/error.h"
#include "tools/command_line.h"
#include "tools/output.h"
#include "tools/verb.h"

namespace samestep {
namespace {

constexpr int kCouldNotRun = 2;

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return 0;
    case Verdict::diverged:
      return 1;
    case Verdict::undecided:
      return 3;
  }
  return kCouldNotRun;
}

int refuse(const std::string& line) {
  try {
    write_all(2, "samestep: " + line + "\n", "standard error");
  } catch (const Error&) {
    // Nobody listens; the exit code still says it.
  }
  return kCouldNotRun;
}

int run(int argc, char** argv) {
  try {
    hold_standard_descriptors();
    report_bus_errors();
    const Result result = run_command_line(std::vector<std::string>(argv + 1, argv + argc));
    write_all(1, result.output, "standard output");
    if (result.trouble) return refuse(result.trouble->what());
    return exit_code(result.verdict);
  } catch (const Error& error) {
    return refuse(error.what());
  } catch (const std::bad_alloc&) {
    return refuse("out of memory; close other programs, or raise the memory limit");
  } catch (const CheckFailure& failure) {
    return refuse(std::string("a mistake in samestep: ") + printable(failure.what()) +
                  "; please report it with the command line");
  } catch (const std::exception& error) {
    return refuse("cannot go on: " + printable(error.what(), 1000));
  } catch (...) {
    return refuse("cannot go on, for a reason that has no name; please report it");
  }
}

}  // namespace
}  // namespace samestep

int main(int argc, char** argv) { return samestep::run(argc, argv); }
