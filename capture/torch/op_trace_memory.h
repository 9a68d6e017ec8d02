// What is known of the bytes in memory while operators are traced: digests that still hold.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schemas/digest.h"
#include "schemas/dtype.h"

namespace samestep::libtorch {

/// How a tensor stands in a trace. The numbers are those of the record.
enum class Reading : unsigned char {
  whole = 0,   ///< the digest of its canonical bytes
  laid = 1,    ///< its elements lie densely in another order: digest as they lie, with strides
  part = 2,    ///< a part of memory that an operator of the trace wrote: digest of all of that
  unset = 3,   ///< memory that nobody has written to yet
  unread = 4,  ///< no memory that can be read (sparse, meta, a wrapper of a Python class)
};

struct TensorReading {
  Reading reading = Reading::unread;
  Digest digest;
};

/// Digests by storage, place and version. A digest is given again only while no operator has
/// written to the storage and the version counter is the same; a write that neither an operator's
/// schema nor the counter tells (another library's, through a raw pointer) is not seen.
///
/// Storages are held weakly: their memory is freed as ever, their identity is not given to another.
/// Thread-safe; bytes are digested outside of the lock. No operator is called for tensors on the
/// host; others are copied there, unseen by any observer.
class TraceMemory {
 public:
  /// Of an argument, before the operator runs.
  TensorReading input(const at::Tensor& tensor);
  /// Of a result, after it.
  TensorReading output(const at::Tensor& tensor);
  /// An operator has written to the tensor.
  void wrote(const at::Tensor& tensor);
  /// The tensor holds what was in memory before.
  void leave_unset(const at::Tensor& tensor);

 private:
  /// A place in a storage. `geometry` is 0 where the elements lie densely.
  struct Place {
    std::uint64_t begin = 0, bytes = 0, geometry = 0;
    bool operator==(const Place&) const = default;
  };
  struct Known {
    Place place;
    std::uint32_t version = 0;
    bool made_here = false;  ///< an operator's result
    std::vector<Digest> chunks;
  };
  struct Memory {
    explicit Memory(c10::weak_intrusive_ptr<c10::StorageImpl> of) : storage(std::move(of)) {}
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    const void* data = nullptr;
    std::uint64_t unset_bytes = 0;  ///< not written yet
    std::uint32_t writes = 0;
    std::vector<Known> known;
  };
  struct View;

  static View view_of(const at::Tensor& tensor);
  Memory& memory_of(const at::Tensor& tensor);
  static const Known* find(const Memory& memory, const View& view);
  static TensorReading told(const View& view, const std::vector<Digest>& chunks);
  /// `made_here`: digests anew in any case.
  TensorReading digest(const View& view, bool made_here);

  std::mutex mutex_;
  std::unordered_map<const c10::StorageImpl*, Memory> memories_;
};

/// A wrapper of other tensors, which its operators are called for in turn (a Python class, vmap).
bool is_wrapper(const at::Tensor& tensor) noexcept;

/// Digest of text or of a list of numbers: XXH3 of the bytes.
Digest digest_of_bytes(const void* bytes, std::size_t size) noexcept;

}  // namespace samestep::libtorch
