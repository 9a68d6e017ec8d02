// A program outside the project: opens a checkpoint and compares it with itself.
#include <iostream>

#include "capture/run_reader.h"
#include "checkpoint/checkpoint.h"
#include "resume_check/compare.h"
#include "schemas/report.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const samestep::Checkpoint checkpoint = samestep::open_checkpoint(argv[1]);
  const samestep::Report report = samestep::diff_trees(checkpoint.tree, checkpoint.tree);
  std::cout << samestep::to_string(report.verdict) << ' ' << samestep::looks_like_capture(argv[1])
            << '\n';
  return report.verdict == samestep::Verdict::same ? 0 : 1;
}
