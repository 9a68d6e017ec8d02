// What the schema of an operator says about the bytes that it reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace at {
struct RecordFunction;
}

namespace samestep::libtorch {

/// Of one overload, or of a range that somebody named without being an operator.
struct OpSchema {
  std::string name, overload;          ///< "aten::add", "out"
  std::vector<std::string> arguments;  ///< their names
  std::vector<bool> written;           ///< arguments that it writes to
  std::vector<bool> overwritten;       ///< of those, the ones whose old bytes it never reads
  bool is_operator = false;
  bool is_backward_range = false;  ///< autograd's own range around a node of the graph
  bool is_composite = false;       ///< made of other operators alone, which are seen by themselves
  bool is_asynchronous = false;    ///< its results are not there yet when it returns (collectives)
  bool only_views = false;         ///< returns its arguments' memory and writes nothing
  bool leaves_unset = false;       ///< its results hold whatever was in memory (aten::empty)
  bool draws_random = false;
  bool may_hide_writes = false;  ///< of another library, whose schema may keep quiet about writes

  bool writes(std::size_t argument) const noexcept {
    return argument < written.size() && written[argument];
  }
  bool overwrites(std::size_t argument) const noexcept {
    return argument < overwritten.size() && overwritten[argument];
  }
};

/// Thread-safe. What it gives out lives as long as it does.
class OpSchemas {
 public:
  const OpSchema& of(const at::RecordFunction& function);

 private:
  std::mutex mutex_;
  /// By the address of the name: a schema keeps its own. Names that are no operator's may come
  /// again at any address, so the text is compared too.
  std::unordered_map<const char*, std::vector<std::unique_ptr<OpSchema>>> known_;
};

}  // namespace samestep::libtorch
