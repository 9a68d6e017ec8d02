// Attributes of Python objects, asked for often: names are made once.
#pragma once

#include "python/bindings.h"

namespace samestep::python {

/// Made once for each place that keeps it in a static, and never freed: a trainer may end with its
/// recorder still alive.
inline PyObject* interned(const char* text) {
  PyObject* name = PyUnicode_InternFromString(text);
  if (name == nullptr) throw nb::python_error();
  return name;
}

inline nb::object owned(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

inline nb::object attribute(nb::handle thing, PyObject* name) {
  return owned(PyObject_GetAttr(thing.ptr(), name));
}

/// What a method without arguments returns.
inline nb::object answer(nb::handle thing, PyObject* name) {
  return owned(PyObject_CallMethodNoArgs(thing.ptr(), name));
}

}  // namespace samestep::python
