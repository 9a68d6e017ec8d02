// DeviceDigest: digests and fingerprints of tensors that lie in the memory of a CUDA device, made
// there. Built where nvcc is (SAMESTEP_CUDA).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "schemas/digest.h"
#include "schemas/dtype.h"
#include "schemas/fingerprint.h"

struct CUstream_st;

namespace samestep {

/// A tensor on the device. `base` points at element [0, ..., 0]; strides in elements, negative and
/// 0 allowed, row-major when empty. Dtypes of several elements a byte must lie in one piece.
struct DeviceField {
  const void* base = nullptr;
  Dtype dtype = Dtype::none;
  std::vector<std::int64_t> shape, strides;
  /// For the fingerprint: the index, in the whole tensor, of the first element, when this is a run
  /// of a sharded one (schemas/FINGERPRINT.md).
  std::uint64_t first_element = 0;
};

struct DeviceResult {
  DigestTree tree;
  Fingerprint print;
};

/// What a device lacks, in words ("no CUDA device: ..."); empty when DeviceDigest can be used.
std::string missing_device();

/// One state, digested as often as wanted: the table of its tensors and room for the results are
/// laid down once, on the device that is current then. Not thread-safe. Calls that the CUDA runtime
/// refuses throw Error{failed} with its words.
class DeviceDigest {
 public:
  enum class Prints : unsigned char { without, with };

  /// Allocates (which synchronises the device). Throws Error{unsupported} for a tensor with more
  /// than 8 dimensions that do not lie behind one another, Error{corrupt} for a negative size.
  DeviceDigest(const std::vector<DeviceField>& fields, Prints prints);
  ~DeviceDigest();
  DeviceDigest(const DeviceDigest&) = delete;
  DeviceDigest& operator=(const DeviceDigest&) = delete;

  /// Puts one kernel for all fields and one small copy (32 bytes for each 64 KiB) on `stream`, and
  /// returns. What is later on the stream may change the tensors; until then they must stay. Ends a
  /// start() whose finish() was not called.
  void start(CUstream_st* stream);
  /// Waits for that copy and gives the results in the order of the fields.
  std::vector<DeviceResult> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace samestep
