// Fixture: a small language for states and legs.
//   State().parameter("model/w", ramp(8, 1)).slot("w", "step", 0,
//   scalar(4.0f)).attribute("ema/updates", 4) Leg().begin(3, before).capture(4, at).begin(5,
//   after).trace(4, "loss", 17).record()
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "capture/run_reader.h"
#include "checkpoint/hasher.h"

namespace samestep::testing {

/// A tensor in the making: elements, dtype, shape.
struct Elements {
  Dtype dtype = Dtype::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

template <typename T>
Elements elements(const std::vector<T>& values, Dtype dtype, std::vector<std::int64_t> shape) {
  Elements made{dtype, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  return made;
}

/// `count` different numbers that depend on `seed`: distinctive.
inline Elements ramp(int count, int seed) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(0.37f * static_cast<float>(i + 1) + 1.618f * static_cast<float>(seed));
  }
  return elements(values, Dtype::float32, {count});
}

inline Elements filled(int count, float value) {
  return elements(std::vector<float>(static_cast<std::size_t>(count), value), Dtype::float32,
                  {count});
}

inline Elements scalar(float value) {
  return elements(std::vector<float>{value}, Dtype::float32, {});
}

inline Elements octets(const std::vector<std::byte>& bytes) {
  return {Dtype::uint8, {static_cast<std::int64_t>(bytes.size())}, bytes};
}

inline SourceKey key(const char* text) { return {SourceKey::Kind::string, text}; }
inline SourceKey key(int index) { return {SourceKey::Kind::integer, std::to_string(index)}; }

/// Fields one after the other; the calls without a path shape the last one.
class State {
 public:
  State& tensor(const std::string& path, const Elements& made, const std::string& declared,
                Role role = Role::other) {
    Field field;
    field.path = FieldPath(path);
    field.kind = FieldKind::tensor;
    field.role = role;
    field.dtype = made.dtype;
    field.shape = made.shape;
    field.traits["declared"] = declared;
    std::vector<std::int64_t> strides(made.shape.size(), 1);
    for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * made.shape[i];
    auto owner = std::make_shared<std::vector<std::byte>>(made.bytes);
    const auto* base = owner->data();
    return add(std::move(field), tensor_bytes({base, made.dtype, made.shape, strides}, owner));
  }
  State& value(const std::string& path, Value value, const std::string& declared) {
    Field field;
    field.path = FieldPath(path);
    field.value = value;
    field.traits["declared"] = declared;
    return add(std::move(field), value_bytes(value));
  }

  State& parameter(const std::string& path, const Elements& made) {
    return tensor(path, made, "parameter", Role::parameter);
  }
  /// `optimizer/state/<parameter>/<slot>` at place `index`.
  State& slot(const std::string& parameter, const std::string& slot, int index,
              const Elements& made) {
    tensor("optimizer/state/" + parameter + "/" + slot, made, "state_dict",
           slot == "step" ? Role::step_counter : Role::moment);
    return trait("place", "optimizer/state/" + std::to_string(index) + "/" + slot);
  }
  State& declared_value(const std::string& path, Value value) {
    return this->value(path, std::move(value), "state_dict");
  }
  State& attribute(const std::string& path, std::int64_t number) {
    return value(path, Value(number), "attribute");
  }
  State& frame(const std::string& path, std::int64_t number) {
    return value(path, Value(number), "frame");
  }
  State& stream(const std::string& path, const Elements& made) {
    return tensor(path, made, "rng", Role::rng);
  }
  State& next_batch(std::int64_t number, const std::string& owner) {
    value("dataloader/next_batch", Value(number), "loader");
    return trait("owner", owner);
  }

  State& trait(const std::string& name, const std::string& text) {
    last().field.traits[name] = text;
    return *this;
  }
  State& storage(std::int64_t number) {
    last().field.layout.storage = number;
    return *this;
  }
  State& keys(std::vector<SourceKey> keys) {
    last().field.source.keys = std::move(keys);
    return *this;
  }

  const StateTree& tree() const { return tree_; }

 private:
  StateEntry& last() { return tree_.entries().back(); }
  State& add(Field field, FieldBytesPtr bytes) {
    field.digest = digest_of(*bytes, field.dtype, field.shape).root;
    field.bytes = bytes->size();
    tree_.add({std::move(field), std::move(bytes)});
    return *this;
  }

  StateTree tree_;
};

inline const StateEntry& entry(const State& state, const std::string& path) {
  return *state.tree().find(FieldPath(path));
}

/// One rank of a leg.
class Leg {
 public:
  explicit Leg(int rank = 0) {
    record_.rank = rank;
    record_.log.closed = true;
  }
  Leg& begin(std::int64_t completed, const State& state) {
    return boundary(completed, "begin", state);
  }
  Leg& end(std::int64_t completed, const State& state) { return boundary(completed, "end", state); }
  Leg& capture(std::int64_t completed, const State& state) {
    record_.capture = CaptureRank{};
    record_.capture->completed = completed;
    record_.tree = state.tree();
    return begin(completed, state);
  }
  Leg& trace(std::int64_t completed, const std::string& phase, std::uint64_t digest) {
    record_.log.traces.push_back({completed, phase, {digest, digest}});
    return *this;
  }
  Leg& loaded(const State& state, const std::string& path) {
    record_.log.loaded_components.insert(FieldPath(path).component());
    return beside(state, path);
  }
  /// Looked at when something else was loaded.
  Leg& beside(const State& state, const std::string& path) {
    record_.log.loaded[path].push_back(*entry(state, path).field.digest);
    return *this;
  }
  Leg& event(const std::string& name, const std::string& json) {
    record_.log.events.push_back({name, json});
    return *this;
  }
  Leg& dead(const std::string& path) {
    record_.log.dead_gradients.push_back(path);
    return *this;
  }
  Leg& clause(const std::string& name, const std::string& json) {
    record_.capture->contract.clauses.push_back({name, json});
    return *this;
  }
  const RankRecord& record() const { return record_; }

 private:
  Leg& boundary(std::int64_t completed, const char* phase, const State& state) {
    LogBegin begin{completed, phase, {}, {}};
    for (const auto& one : state.tree().entries()) {
      begin.fields[one.field.path.text()] = *one.field.digest;
    }
    record_.log.begins.push_back(std::move(begin));
    return *this;
  }

  RankRecord record_;
};

}  // namespace samestep::testing
