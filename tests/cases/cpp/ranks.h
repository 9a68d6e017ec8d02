// Ranks: the processes of one training, which average what each has computed.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

/// As RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT say. Every rank makes the same calls in the
/// same order; each waits for the others.
class Ranks {
 public:
  Ranks();
  /// Rank 0 may hold the store: it leaves last.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  /// Each tensor (float32) becomes its mean over all ranks: the same bits on each.
  void average(const std::vector<torch::Tensor>& tensors);
  /// Returns when all ranks have called it.
  void meet();

 private:
  std::string key_of(std::int64_t round, int rank) const;

  int rank_, size_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::int64_t round_ = 0;
};
