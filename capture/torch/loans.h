// Loans: tensors whose memory a record still reads after the call that gave it, and whether they
// stayed as they were.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace samestep::libtorch {

/// In the order in which they were added. Not thread-safe.
class Loans {
 public:
  /// Whether a change of `tensor` would be seen: it counts its writes.
  static bool may_lend(const at::Tensor& tensor);

  void add(std::string path, const at::Tensor& tensor);
  std::size_t size() const noexcept { return loans_.size(); }
  bool has(const std::string& path) const;
  /// Paths of those that were written to, or given other memory, since they were added.
  std::vector<std::string> changed() const;
  /// The first `count` are read no more: lets go of them, and returns the changed ones among them.
  std::vector<std::string> settle(std::size_t count);
  void clear() noexcept;

 private:
  struct Loan {
    std::string path;
    at::Tensor tensor;
    std::int64_t version;
    const void* memory;
  };
  static bool is_changed(const Loan& loan);

  std::vector<Loan> loans_;
  std::size_t settled_ = 0;
};

}  // namespace samestep::libtorch
