// The probe of a random stream of libtorch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/probe.h"

namespace at {
struct Generator;
}

namespace samestep::libtorch {

/// `rng/generator.<name>`: the whole state, also what it has drawn ahead. Copies of a Generator are
/// one stream; the probe keeps it alive.
std::unique_ptr<Probe> generator_probe(const std::string& name, const at::Generator& generator);
/// The process-wide streams: `rng/torch.cpu`, and `rng/torch.cuda.<n>` where this libtorch has CUDA
/// devices.
std::unique_ptr<Probe> default_generators_probe();

}  // namespace samestep::libtorch
