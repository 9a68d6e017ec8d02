// Twin: the uninterrupted and the resumed run of a C++ trainer side by side in one process.
//
//   struct Trainer {
//     void step();                            // one optimizer step, told to the session
//     void save(const std::string& path);     // the trainer's own checkpoint: a file or a folder
//     void restore(const std::string& path);  // into a trainer that was just built
//     samestep::libtorch::Session& session();
//   };
//   EXPECT_THAT(run_twin([] { return std::make_unique<Trainer>(); }), ResumesExactly());
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "capture/torch/session.h"
#include "schemas/report.h"
#include "schemas/waiver.h"

namespace samestep::libtorch {

/// A trainer as a twin drives it; the functions own it together.
struct TwinTrainer {
  std::function<Session&()> session;
  std::function<void()> step;
  std::function<void(const std::string&)> save, restore;
};
/// Builds a trainer as a new process would.
using TwinFactory = std::function<TwinTrainer()>;

/// How much of the uninterrupted run is put back into a resumed one, through the probes, so that
/// each difference is seen apart from those before it. The verdict is that of the free run.
enum class TwinMode : unsigned char {
  free_run,   ///< nothing
  per_step,   ///< all watched state after each step
  lock_step,  ///< and at each boundary: the state at begin, what forward() and loss() are told,
              ///< each gradient
};

struct TwinOptions {
  std::int64_t at = 3;     ///< steps before the checkpoint
  std::int64_t steps = 3;  ///< steps compared after it
  TwinMode mode = TwinMode::free_run;
  int controls = 1;  ///< 0: the resumed run is not repeated, and repeatability is not known
  /// Where checkpoints are kept; made when absent. Empty: a temporary folder, removed at the end.
  std::string folder;
  /// Components and fields that the checkpoint holds in a form that samestep does not read.
  std::vector<std::string> saved;
  std::vector<Waiver> waivers;
};

/// A difference that nothing before it explains, as far as the mode has put that right.
struct Parting {
  Boundary where;
  std::string name;
  std::uint64_t folded = 0;  ///< further differences at the same place, or that follow from it
};

struct Twin {
  Report report;  ///< as an audit's
  TwinMode mode = TwinMode::free_run;
  std::vector<Parting> partings;  ///< of the modes that put back, in order; see README.md
};

/// Builds a trainer, makes `at` steps, saves, builds a second one, restores, and makes `steps` more
/// with both; a control repeats the resumed run. Each has its own process-wide random streams, and
/// begins with others, as two processes do; those of the caller are left as they were. Throws what
/// the trainer throws, Error{usage} for a trainer that cannot be followed (step() ends no step, or
/// several), Error{failed} for the folder.
Twin run_twin(const TwinFactory& factory, const TwinOptions& options = {});

template <typename T>
concept AnyTwinTrainer = requires(T& trainer, const std::string& path) {
  trainer.step();
  trainer.save(path);
  trainer.restore(path);
  { trainer.session() } -> std::convertible_to<Session&>;
};

/// `make` returns a (smart) pointer to a trainer with the four functions above.
template <std::invocable Make>
requires AnyTwinTrainer<typename std::pointer_traits<std::invoke_result_t<Make>>::element_type> Twin
run_twin(Make make, const TwinOptions& options = {}) {
  using Trainer = typename std::pointer_traits<std::invoke_result_t<Make>>::element_type;
  const TwinFactory factory = [&make] {
    const std::shared_ptr<Trainer> trainer(make());
    return TwinTrainer{[trainer]() -> Session& { return trainer->session(); },
                       [trainer] { trainer->step(); },
                       [trainer](const std::string& path) { trainer->save(path); },
                       [trainer](const std::string& path) { trainer->restore(path); }};
  };
  return run_twin(factory, options);
}

}  // namespace samestep::libtorch
