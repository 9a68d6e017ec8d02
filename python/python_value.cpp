#include <string>
#include <utility>

#include "python/bindings.h"

namespace samestep::python {
namespace {

BigInt big_from(nb::handle object) {
  std::size_t bits = nb::cast<std::size_t>(object.attr("bit_length")());
  std::size_t length = bits / 8 + 1;
  nb::object raw = object.attr("to_bytes")(length, "little", nb::arg("signed") = true);
  const auto* data = reinterpret_cast<const std::byte*>(PyBytes_AS_STRING(raw.ptr()));
  return BigInt{{data, data + length}};
}

Value int_from(nb::handle object) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow != 0) return big_from(object);
  if (number == -1 && PyErr_Occurred()) throw nb::python_error();
  return static_cast<std::int64_t>(number);
}

std::string text_from(nb::handle object) {
  nb::object raw = nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogatepass"));
  if (!raw.is_valid()) throw nb::python_error();
  return {PyBytes_AS_STRING(raw.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(raw.ptr()))};
}

Numbers numbers_from(nb::handle object) {
  Numbers packed;
  const bool floats = nb::len(object) > 0 && PyFloat_Check(nb::object(object[0]).ptr());
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  for (nb::handle item : nb::borrow<nb::sequence>(object)) {
    if (floats != bool(PyFloat_Check(item.ptr())))
      throw nb::type_error("a list of numbers must hold only int or only float");
    if (!floats && (!PyLong_Check(item.ptr()) || PyBool_Check(item.ptr())))
      throw nb::type_error("a list of numbers must hold only int or only float");
    if (floats)
      real.push_back(PyFloat_AS_DOUBLE(item.ptr()));
    else
      whole.push_back(nb::cast<std::int64_t>(item));
  }
  if (floats)
    packed.values = std::move(real);
  else
    packed.values = std::move(whole);
  return packed;
}

}  // namespace

Value value_from(nb::handle object) {
  if (object.is_none()) return None{};
  if (PyBool_Check(object.ptr())) return object.ptr() == Py_True;
  if (PyLong_Check(object.ptr())) return int_from(object);
  if (PyFloat_Check(object.ptr())) return PyFloat_AS_DOUBLE(object.ptr());
  if (PyUnicode_Check(object.ptr())) return text_from(object);
  if (PyBytes_Check(object.ptr())) {
    const auto* data = reinterpret_cast<const std::byte*>(PyBytes_AS_STRING(object.ptr()));
    return Bytes(data, data + PyBytes_GET_SIZE(object.ptr()));
  }
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return numbers_from(object);
  throw nb::type_error("not a value that samestep records");
}

}  // namespace samestep::python
