// The operators of one thread, in the order in which they ended.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "capture/torch/op_trace_memory.h"
#include "capture/torch/op_trace_phase.h"
#include "capture/torch/op_trace_schema.h"

namespace samestep::libtorch {

/// One argument or result; lists are given element by element.
struct OpValue {
  enum class Kind : unsigned char { tensor, integer, number, boolean, list };
  Kind kind = Kind::tensor;
  Reading reading = Reading::whole;
  Dtype dtype = Dtype::none;
  bool mutated = false;       ///< an argument, as the operator left it
  std::uint16_t place = 0;    ///< number of the argument or result
  std::int32_t element = -1;  ///< in its list
  std::uint32_t layout = 0;   ///< where its dimensions begin in Lane::layouts, then its strides
  std::uint16_t dimensions = 0;
  Digest digest;  ///< of a plain value its low half is the bits
};

struct OpRow {
  const OpSchema* schema = nullptr;
  const OpSchema* inside = nullptr;  ///< the operator that is made of this one and others
  std::uint64_t number = 0;          ///< over all threads, from 1
  std::int64_t sequence = -1;        ///< autograd's, by which a backward finds its forward
  std::int32_t module = -1;
  OpPhase phase = OpPhase::forward;
  std::uint32_t values = 0;  ///< where its inputs begin in Lane::values; the outputs follow them
  std::uint32_t inputs = 0, outputs = 0;
};

struct TraceShared;

/// Operators that others are made of are not rows, nor what an operator calls to do its own work:
/// its results are whole only when it ends. Only the lane's own thread changes it; who reads it
/// from another one holds the mutex.
class Lane {
 public:
  explicit Lane(TraceShared& shared) : shared_(shared) {}

  void begin(const at::RecordFunction& function);
  void end(const at::RecordFunction& function);
  void begin_backward(const at::RecordFunction& function);
  void end_backward();

  std::mutex mutex;
  OpPhase phase = OpPhase::forward;   ///< outside of a backward
  std::vector<std::int32_t> modules;  ///< being called, innermost last
  std::vector<OpRow> rows;
  std::vector<OpValue> values;
  std::vector<std::int64_t> layouts;

 private:
  /// What has begun around the operator that is recorded.
  struct Frame {
    const at::RecordFunction* function;
    const OpSchema* schema;
  };
  struct Spot {
    std::uint16_t place;
    std::int32_t element;
  };
  /// An argument that is written to, perhaps without the schema saying so.
  struct Written {
    c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> tensor;
    Spot spot;
    bool said;
  };

  template <typename Visit>
  static bool visit_tensors(const c10::IValue& value, std::uint16_t place, const Visit& visit);
  void read_input(const c10::IValue& value, std::uint16_t place);
  void add_plain(const c10::IValue& value, std::uint16_t place);
  void add_tensor(const at::Tensor& tensor, Spot spot, TensorReading reading, bool mutated);
  void add_results(const std::vector<c10::IValue>& results);
  void add_written(const std::vector<c10::IValue>& results);
  void forget_written();
  OpRow next_row(const at::RecordFunction& function) const;

  TraceShared& shared_;
  std::vector<Frame> frames_;
  const at::RecordFunction* leaf_ = nullptr;  ///< the operator that is being recorded
  const OpSchema* schema_ = nullptr;          ///< its own
  OpRow row_;
  std::vector<Written> written_;
  std::vector<std::int64_t> backward_;  ///< sequence numbers of the nodes that run, innermost last
  int backward_ranges_ = 0;
};

}  // namespace samestep::libtorch
