// The program of the cases: trains, saves at step 4, or resumes. Alone, or as one of several ranks
// that a launcher starts; then --fault-rank says which of them has the fault.
//   trainer --text FILE --out DIR [--resume CHECKPOINT] [--fault NAME] [--fault-rank N] [--steps N]
#include <torch/utils.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "case_trainer.h"
#include "ranks.h"

namespace {

constexpr int kSaveAt = 4;
using Words = std::map<std::string, std::string>;

void train(Words words, Ranks* ranks) {
  const bool resumes = words.contains("--resume");
  const int rank = ranks ? ranks->rank() : 0;
  // Drop-out and the order of the rows are each rank's own.
  torch::manual_seed((resumes ? 12 : 11) + 100 * rank);
  const bool has_fault =
      !words.contains("--fault-rank") || std::stoi(words["--fault-rank"]) == rank;
  CaseTrainer trainer({words["--text"], has_fault ? words["--fault"] : "", resumes, ranks});
  if (resumes) trainer.restore(words["--resume"]);
  const int steps = words.contains("--steps") ? std::stoi(words["--steps"]) : 9;
  while (trainer.steps_done() < steps) {
    const bool goes_on = trainer.step();
    std::cout << "step " << trainer.steps_done() << " loss " << trainer.loss() << std::endl;
    if (!goes_on) return;
    if (trainer.steps_done() == kSaveAt) trainer.save(words["--out"] + "/checkpoint-4");
  }
}

}  // namespace

int main(int count, char** arguments) {
  Words words;
  for (int i = 1; i + 1 < count; i += 2) words[arguments[i]] = arguments[i + 1];
  if (!words.contains("--text") || !words.contains("--out")) {
    std::cerr << "usage: trainer --text FILE --out DIR [--resume DIR] [--fault NAME] "
                 "[--fault-rank N] [--steps N]\n";
    return 2;
  }
  torch::set_num_threads(1);
  try {
    const auto ranks = std::getenv("RANK") ? std::make_unique<Ranks>() : nullptr;
    train(words, ranks.get());
  } catch (const std::exception& error) {
    std::cerr << "trainer: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
