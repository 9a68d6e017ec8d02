// LegStreams: the process-wide random streams of libtorch, as one leg of a twin has them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace samestep::libtorch {

/// One state a process-wide generator (CPU, and each CUDA device where there is one).
class LegStreams {
 public:
  /// As in a new process whose generators came up with `seed`.
  explicit LegStreams(std::uint64_t seed);

  /// While it lives the process's generators are this leg's; then they are again what they were.
  class Inside {
   public:
    explicit Inside(LegStreams& leg);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    LegStreams& leg_;
    std::vector<at::Tensor> outside_;
  };

 private:
  std::vector<at::Tensor> states_;
};

}  // namespace samestep::libtorch
