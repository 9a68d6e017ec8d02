// The program of the cases: trains, saves at step 4, or resumes.
//   trainer --text FILE --out DIR [--resume CHECKPOINT] [--fault NAME] [--steps N]
#include <torch/utils.h>

#include <iostream>
#include <map>
#include <string>

#include "case_trainer.h"

namespace {

constexpr int kSaveAt = 4;
using Words = std::map<std::string, std::string>;

void train(Words words) {
  const bool resumes = words.contains("--resume");
  CaseTrainer trainer({words["--text"], words["--fault"], resumes});
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
    std::cerr << "usage: trainer --text FILE --out DIR [--resume DIR] [--fault NAME] [--steps N]\n";
    return 2;
  }
  torch::set_num_threads(1);
  torch::manual_seed(words.contains("--resume") ? 12 : 11);
  train(words);
  return 0;
}
