// A trainer outside the project: saves a number and a tensor, loses them, and restores them.
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <iostream>

#include "capture/torch/bundle.h"
#include "capture/torch/session.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  at::Tensor centre = at::ones({3});
  int cursor = 7;
  samestep::libtorch::Session session;
  session.watch("centre", &centre);
  session.watch("cursor", &cursor);
  samestep::libtorch::save(argv[1], session);
  centre = at::zeros({3});
  cursor = 0;
  samestep::libtorch::restore(argv[1], session);
  std::cout << "restored " << cursor << '\n';
  return centre.sum().item<float>() == 3 ? 0 : 1;
}
