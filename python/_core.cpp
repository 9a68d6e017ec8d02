// samestep._core: the recorder's C++ half. It asks torch objects for their
// attributes, and links nothing of torch.
#include <nanobind/nanobind.h>

#include "python/bindings.h"

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // a trainer may end with its recorder still alive
  module.doc() = "Digests and records of samestep; see samestep for the trainer's side.";
  samestep::python::bind_digest(module);
  samestep::python::bind_session(module);
  samestep::python::bind_fields(module);
  samestep::python::bind_run(module);
}
