#include "python/torch_tensor.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/attributes.h"

namespace samestep::python {
namespace {

bool is_true(const nb::object& object) { return object.ptr() == Py_True; }

std::int64_t whole(const nb::object& object) {
  const long long number = PyLong_AsLongLong(object.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

std::uint64_t address(const nb::object& object) {
  const unsigned long long number = PyLong_AsUnsignedLongLong(object.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

std::vector<std::int64_t> wholes(const nb::object& numbers) {
  if (!PyTuple_Check(numbers.ptr())) throw nb::type_error("not a tuple");
  const Py_ssize_t count = PyTuple_GET_SIZE(numbers.ptr());
  std::vector<std::int64_t> found(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    found[static_cast<std::size_t>(i)] = whole(nb::borrow(PyTuple_GET_ITEM(numbers.ptr(), i)));
  return found;
}

std::uint64_t pointer_of(nb::handle tensor) {
  static PyObject* const kName = interned("data_ptr");
  return address(answer(tensor, kName));
}

nb::object storage_of(nb::handle tensor) {
  static PyObject* const kName = interned("untyped_storage");
  return answer(tensor, kName);
}

std::int64_t version_of(nb::handle tensor) {
  static PyObject* const kName = interned("_version");
  return whole(attribute(tensor, kName));
}

bool says(nb::handle tensor, PyObject* method) { return is_true(answer(tensor, method)); }

bool is_complex(Dtype dtype) {
  return dtype == Dtype::complex32 || dtype == Dtype::complex64 || dtype == Dtype::complex128;
}

/// Its elements are the bits that lie there; of a complex one conjugation has to be asked for.
bool is_as_it_lies(nb::handle tensor, const nb::object& strided) {
  static PyObject* const kLayout = interned("layout");
  static PyObject* const kIsNested = interned("is_nested");
  static PyObject* const kIsCpu = interned("is_cpu");
  static PyObject* const kIsNeg = interned("is_neg");
  return attribute(tensor, kLayout).is(strided) && !is_true(attribute(tensor, kIsNested)) &&
         is_true(attribute(tensor, kIsCpu)) && !says(tensor, kIsNeg);
}

std::uint64_t bytes_of(nb::handle storage) {
  static PyObject* const kName = interned("nbytes");
  return address(answer(storage, kName));
}

/// All its elements lie inside its storage, which wrappers shrink to nothing to free memory that
/// others still hold (FSDP).
bool is_there(const TensorFacts& facts) {
  std::uint64_t end = static_cast<std::uint64_t>(facts.storage_offset) + 1;
  for (std::size_t d = 0; d < facts.view.shape.size(); ++d) {
    if (facts.view.shape[d] == 0) return true;
    end += static_cast<std::uint64_t>(facts.view.shape[d] - 1) *
           static_cast<std::uint64_t>(facts.view.strides[d]);
  }
  return end * element_bytes(facts.view.dtype) <= bytes_of(facts.memory);
}

}  // namespace

TensorReader::TensorReader(nb::tuple kinds, nb::object strided)
    : kinds_(std::move(kinds)), strided_(std::move(strided)) {}

bool TensorReader::is_plain(nb::handle thing) const {
  for (const nb::handle kind : kinds_)
    if (kind.ptr() == reinterpret_cast<PyObject*>(Py_TYPE(thing.ptr()))) return true;
  return false;
}

std::optional<Dtype> TensorReader::dtype_of(nb::handle tensor) {
  static PyObject* const kName = interned("dtype");
  nb::object dtype = attribute(tensor, kName);
  if (last_dtype_.is_valid() && dtype.is(last_dtype_)) return last_known_;
  const std::string text = nb::cast<std::string>(nb::str(dtype));
  constexpr std::string_view kPrefix = "torch.";
  last_known_ = dtype_from(text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text);
  last_dtype_ = std::move(dtype);
  return last_known_;
}

std::optional<TensorFacts> TensorReader::read(nb::handle tensor) {
  static PyObject* const kIsConj = interned("is_conj");
  static PyObject* const kShape = interned("shape");
  static PyObject* const kStride = interned("stride");
  static PyObject* const kStorageOffset = interned("storage_offset");
  static PyObject* const kRequiresGrad = interned("requires_grad");
  if (!is_as_it_lies(tensor, strided_)) return std::nullopt;
  const auto dtype = dtype_of(tensor);
  if (!dtype || (is_complex(*dtype) && says(tensor, kIsConj))) return std::nullopt;
  TensorFacts facts;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python has addresses as numbers.
  facts.view.base = reinterpret_cast<const std::byte*>(pointer_of(tensor));
  facts.view.dtype = *dtype;
  facts.view.shape = wholes(attribute(tensor, kShape));
  facts.view.strides = wholes(answer(tensor, kStride));
  facts.memory = storage_of(tensor);
  facts.storage = static_cast<std::int64_t>(pointer_of(facts.memory));
  facts.storage_offset = whole(answer(tensor, kStorageOffset));
  facts.requires_grad = is_true(attribute(tensor, kRequiresGrad));
  if (!is_there(facts)) return std::nullopt;
  return facts;
}

bool has_version(nb::handle tensor) {
  static PyObject* const kIsInference = interned("is_inference");
  return !says(tensor, kIsInference);
}

void Loans::add(std::string path, nb::object tensor) {
  nb::object memory = storage_of(tensor);
  add(std::move(path), std::move(tensor), std::move(memory));
}

void Loans::add(std::string path, nb::object tensor, nb::object memory) {
  const std::int64_t version = version_of(tensor);
  const std::uint64_t pointer = pointer_of(tensor);
  loans_.push_back({std::move(path), std::move(tensor), std::move(memory), version, pointer});
}

std::vector<std::string> Loans::paths() const {
  std::vector<std::string> found;
  for (const Loan& loan : loans_) found.push_back(loan.path);
  return found;
}

std::vector<std::string> Loans::changed(std::size_t first, std::size_t last) const {
  std::vector<std::string> found;
  for (std::size_t i = first; i < std::min(last, loans_.size()); ++i) {
    const Loan& loan = loans_[i];
    if (version_of(loan.tensor) != loan.version || pointer_of(loan.tensor) != loan.pointer)
      found.push_back(loan.path);
  }
  return found;
}

void Loans::release(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < std::min(last, loans_.size()); ++i) {
    loans_[i].tensor.reset();
    loans_[i].memory.reset();
  }
}

}  // namespace samestep::python
