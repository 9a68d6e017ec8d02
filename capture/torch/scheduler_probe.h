// The probe of a learning rate schedule. libtorch gives schedules no serialiser.
#pragma once

#include <memory>
#include <string>

#include "capture/cell.h"
#include "capture/probe.h"

namespace torch::optim {
class LRScheduler;
class ReduceLROnPlateauScheduler;
}  // namespace torch::optim

namespace samestep::libtorch {

/// `<component>/last_epoch` (libtorch's step_count_), and step_size and gamma of a StepLR, which
/// are fixed at construction: they are compared and never written. `own`: further fields of a
/// derived class, or null.
std::unique_ptr<Probe> scheduler_probe(std::string component,
                                       ::torch::optim::LRScheduler& scheduler,
                                       std::unique_ptr<Cell> own);
/// All of its counters and settings under the names of Python's ReduceLROnPlateau.
std::unique_ptr<Probe> scheduler_probe(std::string component,
                                       ::torch::optim::ReduceLROnPlateauScheduler& scheduler);

}  // namespace samestep::libtorch
