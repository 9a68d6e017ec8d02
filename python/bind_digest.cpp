#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "checkpoint/hasher.h"
#include "python/bindings.h"

namespace samestep::python {
namespace {

View make_view(std::uintptr_t pointer, const std::string& dtype, std::vector<std::int64_t> shape,
               std::vector<std::int64_t> strides, bool conjugate, bool negative) {
  auto known = dtype_from(dtype);
  if (!known) throw nb::value_error(("unknown dtype " + dtype).c_str());
  View view;
  view.tensor.base = reinterpret_cast<const std::byte*>(pointer);
  view.tensor.dtype = *known;
  view.tensor.shape = std::move(shape);
  view.tensor.strides = std::move(strides);
  view.tensor.conjugate = conjugate;
  view.tensor.negative = negative;
  return view;
}

std::string digest_view(const View& view) {
  nb::gil_scoped_release unlocked;
  FieldBytesPtr bytes = tensor_bytes(view.tensor, nullptr);
  return digest_of(*bytes, view.tensor.dtype, view.tensor.shape).root.hex();
}

}  // namespace

void bind_digest(nb::module_& module) {
  nb::class_<View>(module, "View")
      .def_static("make", &make_view, nb::arg("pointer"), nb::arg("dtype"), nb::arg("shape"),
                  nb::arg("strides"), nb::arg("conjugate") = false, nb::arg("negative") = false);
  module.def("digest_view", &digest_view, nb::arg("view"));
  module.def(
      "digest_value", [](nb::handle object) { return digest_of(value_from(object)).root.hex(); },
      nb::arg("value").none());
}

}  // namespace samestep::python
