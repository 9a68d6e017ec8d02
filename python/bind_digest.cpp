#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/fingerprint.h"
#include "checkpoint/hasher.h"
#include "checkpoint/hasher_batch.h"
#include "python/bindings.h"

namespace samestep::python {
namespace {

View make_view(std::uintptr_t pointer, const std::string& dtype, std::vector<std::int64_t> shape,
               std::vector<std::int64_t> strides, bool conjugate, bool negative) {
  auto known = dtype_from(dtype);
  if (!known) throw nb::value_error(("unknown dtype " + dtype).c_str());
  View view;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python has addresses as numbers.
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

/// One batch: its work is spread over threads by bytes.
std::vector<std::string> digest_views(const std::vector<View>& views) {
  nb::gil_scoped_release unlocked;
  std::vector<FieldBytesPtr> bytes;
  std::vector<DigestJob> jobs;
  for (const View& view : views) {
    bytes.push_back(tensor_bytes(view.tensor, nullptr));
    jobs.push_back({{}, bytes.back().get(), view.tensor.dtype, view.tensor.shape});
  }
  std::vector<std::string> digests;
  for (const Digest& root : roots_of(jobs)) digests.push_back(root.hex());
  return digests;
}

Fingerprint fingerprint_of_part(const View& view, const std::vector<std::int64_t>& offsets,
                                const std::vector<std::int64_t>& whole) {
  FieldBytesPtr bytes = tensor_bytes(view.tensor, nullptr);
  return fingerprint_of_block(*bytes, view.tensor.dtype, view.tensor.shape, offsets, whole);
}

std::string fingerprint_view(const View& view, std::optional<std::vector<std::int64_t>> offsets,
                             std::optional<std::vector<std::int64_t>> whole) {
  if (offsets.has_value() != whole.has_value())
    throw nb::value_error("offsets and whole go together");
  nb::gil_scoped_release unlocked;
  if (offsets) return fingerprint_of_part(view, *offsets, *whole).hex();
  FieldBytesPtr bytes = tensor_bytes(view.tensor, nullptr);
  return fingerprint_of(*bytes, view.tensor.dtype, view.tensor.shape).hex();
}

std::string sum_of_fingerprints(const std::vector<std::string>& parts) {
  Fingerprint sum;
  for (const std::string& part : parts) sum += Fingerprint::from_hex(part);
  return sum.hex();
}

}  // namespace

void bind_digest(nb::module_& module) {
  nb::class_<View>(module, "View")
      .def_static("make", &make_view, nb::arg("pointer"), nb::arg("dtype"), nb::arg("shape"),
                  nb::arg("strides"), nb::arg("conjugate") = false, nb::arg("negative") = false);
  module.def("digest_view", &digest_view, nb::arg("view"));
  module.def("digest_views", &digest_views, nb::arg("views"));
  module.def("fingerprint_view", &fingerprint_view, nb::arg("view"),
             nb::arg("offsets") = nb::none(), nb::arg("whole") = nb::none());
  module.def("sum_of_fingerprints", &sum_of_fingerprints, nb::arg("parts"));
  module.def(
      "digest_value", [](nb::handle object) { return digest_of(value_from(object)).root.hex(); },
      nb::arg("value").none());
}

}  // namespace samestep::python
