// The parts of samestep._core, one function a source file.
#pragma once

#include <nanobind/nanobind.h>

#include "checkpoint/field_bytes.h"
#include "schemas/value.h"

namespace samestep::python {

namespace nb = nanobind;

/// A view of memory that Python keeps alive during the call that it is passed to.
struct View {
  TensorView tensor;
};

/// None, bool, int of any size, float, str (surrogates kept), bytes, or a list or tuple of only int
/// or only float. Throws TypeError for anything else.
Value value_from(nb::handle object);

/// View, digests and fingerprints.
void bind_digest(nb::module_& module);
/// FieldWriter and Loans: entries of probes on their way to a session.
void bind_fields(nb::module_& module);
/// Plan, Decision, Session.
void bind_session(nb::module_& module);
/// read_run: what sessions have written.
void bind_run(nb::module_& module);

}  // namespace samestep::python
