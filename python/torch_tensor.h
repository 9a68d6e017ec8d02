// What a plain torch.Tensor says of its memory, asked through its Python attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "python/bindings.h"

namespace samestep::python {

/// Of a tensor on the CPU with strides, in memory that can be read as it is.
struct TensorFacts {
  TensorView view;    ///< memory of the tensor, which it keeps alive
  nb::object memory;  ///< its storage
  std::int64_t storage = 0;
  std::int64_t storage_offset = 0;
  bool requires_grad = false;
};

/// Knows the types and constants of torch that it compares with; links nothing of it.
class TensorReader {
 public:
  /// `kinds`: the types that are plain tensors; `strided`: torch.strided.
  TensorReader(nb::tuple kinds, nb::object strided);

  /// By its exact type: no subclass, whose attributes may run code.
  bool is_plain(nb::handle thing) const;
  /// Of a plain tensor; nothing of one that has to be moved or turned first, or whose memory was
  /// released. Throws what Python
  /// raises.
  std::optional<TensorFacts> read(nb::handle tensor);

 private:
  std::optional<Dtype> dtype_of(nb::handle tensor);

  nb::tuple kinds_;
  nb::object strided_;
  nb::object last_dtype_;
  std::optional<Dtype> last_known_;
};

/// A change of it would be seen.
bool has_version(nb::handle tensor);

/// Tensors of which memory is read after the call, each as it was when it was lent. Not
/// thread-safe; called with the GIL.
class Loans {
 public:
  void add(std::string path, nb::object tensor);
  /// `memory`: its storage.
  void add(std::string path, nb::object tensor, nb::object memory);
  std::size_t size() const noexcept { return loans_.size(); }
  std::vector<std::string> paths() const;
  /// Paths among those from `first` up to `last` that were written to or given other memory.
  std::vector<std::string> changed(std::size_t first, std::size_t last) const;
  /// Keeps tensors and memory of these no longer.
  void release(std::size_t first, std::size_t last);
  void clear() { loans_.clear(); }

 private:
  struct Loan {
    std::string path;
    nb::object tensor, memory;  ///< the latter keeps memory of a tensor that is given other
    std::int64_t version = 0;
    std::uint64_t pointer = 0;
  };
  std::vector<Loan> loans_;
};

}  // namespace samestep::python
