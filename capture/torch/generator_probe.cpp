#include "capture/torch/generator_probe.h"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>

#include <mutex>
#include <utility>

#include "capture/torch/tensor_cell.h"
#include "schemas/check.h"

namespace samestep::libtorch {
namespace {

struct Stream {
  std::string name;
  at::Generator generator;
};

at::Tensor state_of(const Stream& stream) {
  at::Generator generator = stream.generator;
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

class StreamsProbe : public Probe {
 public:
  bool owns(const FieldPath& path) const override { return find(path).has_value(); }

  std::vector<StateEntry> read() const override {
    std::vector<StateEntry> fields;
    for (const Stream& stream : streams())
      fields.push_back(
          tensor_entry({{"rng", stream.name}, Role::rng, {{"declared", "rng"}}}, state_of(stream)));
    return fields;
  }

  std::optional<std::string> refusal(const StateEntry& entry) const override {
    return tensor_refusal(state_of(*find(entry.field.path)), entry);
  }

  bool can_erase(const FieldPath&) const override { return false; }

  void apply(const Change& change) override {
    SAMESTEP_CHECK(change.erased.empty());
    for (const StateEntry* entry : change.written) {
      at::Generator generator = find(entry->field.path)->generator;
      const at::Tensor state = tensor_from(*entry);
      const std::lock_guard lock(generator.mutex());
      generator.set_state(state);
    }
  }

 protected:
  virtual std::vector<Stream> streams() const = 0;

 private:
  std::optional<Stream> find(const FieldPath& path) const {
    for (Stream& stream : streams())
      if (path == FieldPath::of({"rng", stream.name})) return stream;
    return std::nullopt;
  }
};

class GivenStream final : public StreamsProbe {
 public:
  explicit GivenStream(Stream stream) : stream_(std::move(stream)) {}

 private:
  std::vector<Stream> streams() const override { return {stream_}; }
  Stream stream_;
};

class DefaultStreams final : public StreamsProbe {
 private:
  std::vector<Stream> streams() const override {
    std::vector<Stream> found{{"torch.cpu", at::detail::getDefaultCPUGenerator()}};
    const auto devices = at::hasCUDA() ? at::getNumGPUs() : 0;
    for (std::size_t i = 0; i < devices; ++i) {
      const c10::Device device(c10::kCUDA, static_cast<c10::DeviceIndex>(i));
      found.push_back(
          {"torch.cuda." + std::to_string(i), at::globalContext().defaultGenerator(device)});
    }
    return found;
  }
};

}  // namespace

std::unique_ptr<Probe> generator_probe(const std::string& name, const at::Generator& generator) {
  return std::make_unique<GivenStream>(Stream{"generator." + name, generator});
}

std::unique_ptr<Probe> default_generators_probe() { return std::make_unique<DefaultStreams>(); }

}  // namespace samestep::libtorch
