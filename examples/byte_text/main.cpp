// Trains on the bytes of a file and keeps a checkpoint every 20 steps.
//   byte_text --text FILE --out DIR [--resume CHECKPOINT] [--steps N] [--fault schedule|streams]
#include <torch/utils.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>

#include "trainer.h"

namespace {

constexpr std::int64_t kSaveEvery = 20;
using Words = std::map<std::string, std::string>;

Words words_of(int count, char** arguments) {
  Words words{{"--steps", "60"}};
  for (int i = 1; i + 1 < count; i += 2) words[arguments[i]] = arguments[i + 1];
  return words;
}

void train(Words words) {
  // A resumed run that depends on its seed is not resumed: let each process have another one.
  torch::manual_seed(words.contains("--resume") ? std::random_device{}() : 1);
  Trainer trainer({words["--text"], words["--fault"]});
  if (words.contains("--resume")) trainer.restore(words["--resume"]);
  const std::filesystem::path out = words["--out"];
  std::filesystem::create_directories(out);
  while (trainer.steps_done() < std::stoll(words["--steps"])) {
    if (!trainer.step()) return;
    std::cout << "step " << trainer.steps_done() << "  loss " << trainer.loss() << std::endl;
    if (trainer.steps_done() % kSaveEvery == 0)
      trainer.save(out / ("checkpoint-" + std::to_string(trainer.steps_done()) + ".samestep"));
  }
}

}  // namespace

int main(int count, char** arguments) {
  const Words words = words_of(count, arguments);
  if (!words.contains("--text") || !words.contains("--out")) {
    std::cerr << "usage: byte_text --text FILE --out DIR [--resume CHECKPOINT] [--steps N] "
                 "[--fault schedule|streams]\n";
    return 2;
  }
  try {
    train(words);
  } catch (const std::exception& error) {
    std::cerr << "byte_text: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
