#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/session.h"
#include "python/attributes.h"
#include "python/torch_tensor.h"

namespace samestep::python {
namespace {

std::string_view text_of(PyObject* object) {
  Py_ssize_t length = 0;
  const char* data = PyUnicode_AsUTF8AndSize(object, &length);
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<std::size_t>(length)};
}

void append_part(std::string& path, std::string_view part) {
  if (part.find_first_of("~/") == std::string_view::npos) {
    path += part;
  } else {
    path += escape_part(part);
  }
}

std::string joined(PyObject* parts) {
  if (!PyTuple_Check(parts)) throw nb::type_error("a path is a tuple");
  std::string path;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts); ++i) {
    if (i > 0) path += '/';
    append_part(path, text_of(PyTuple_GET_ITEM(parts, i)));
  }
  return path;
}

using Traits = std::map<std::string, std::string>;

Traits traits_of(PyObject* traits) {
  if (!PyDict_Check(traits)) throw nb::type_error("traits are a dict");
  Traits found;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(traits, &at, &key, &value) != 0;)
    found.emplace(text_of(key), text_of(value));
  return found;
}

bool is_simple(PyObject* value) {
  if (value == Py_None || PyBool_Check(value) || PyFloat_CheckExact(value)) return true;
  return PyLong_CheckExact(value) || PyUnicode_CheckExact(value);
}

/// Only the optimizer's step changes it.
bool is_of_optimizer(const Field& field) {
  if (field.role != Role::parameter && field.role != Role::moment) return false;
  const std::string& path = field.path.text();
  const std::string_view kind = std::string_view(path).substr(0, path.find_first_of("./"));
  return kind == "model" || kind == "optimizer";
}

/// A group of a probe (samestep.entry.Group), taken apart.
struct GroupParts {
  std::string path;  ///< up to the names of the items
  nb::object values, roles;
  Role role = Role::other;
  Traits traits;
  std::string place;

  explicit GroupParts(nb::handle group) {
    static PyObject* const kPathName = interned("path");
    static PyObject* const kValuesName = interned("values");
    static PyObject* const kRolesName = interned("roles");
    static PyObject* const kRoleName = interned("role");
    static PyObject* const kTraitsName = interned("traits");
    static PyObject* const kIsPrefixName = interned("is_prefix");
    static PyObject* const kPlaceName = interned("place");
    path = joined(attribute(group, kPathName).ptr());
    if (attribute(group, kIsPrefixName).ptr() != Py_True) path += '/';
    values = attribute(group, kValuesName);
    roles = attribute(group, kRolesName);
    role = role_from(text_of(attribute(group, kRoleName).ptr()));
    traits = traits_of(attribute(group, kTraitsName).ptr());
    place = text_of(attribute(group, kPlaceName).ptr());
  }

  /// All but the value of the item's field.
  Field field_of(PyObject* name) const {
    const std::string_view text = text_of(name);
    Field field;
    std::string own = path;
    append_part(own, text);
    field.path = FieldPath(std::move(own));
    PyObject* const other = PyDict_GetItemWithError(roles.ptr(), name);
    field.role = other == nullptr ? role : role_from(text_of(other));
    field.traits = traits;
    if (!place.empty()) {
      std::string own_place = place + '/';
      append_part(own_place, text);
      field.traits.insert_or_assign("place", std::move(own_place));
    }
    return field;
  }
};

// So many tensors keep all threads busy, and are few to hold at once.
constexpr std::size_t kBatch = 4096;

/// Hands the entries of one record to a session, in one call for many of them.
class FieldWriter {
 public:
  FieldWriter(nb::object session, nb::object group_kind, nb::tuple kinds, nb::object strided,
              nb::object loans, nb::object never)
      : owner_(std::move(session)),
        session_(nb::cast<Session&>(owner_)),
        group_kind_(std::move(group_kind)),
        reader_(std::move(kinds), std::move(strided)),
        loans_(std::move(loans)),
        never_(std::move(never)) {}

  /// `fields`: entries and groups of them. Plain tensors and numbers are added here; `other` is
  /// called with the path and the entry of everything else, and of what cannot be read.
  void write(const nb::iterable& fields, const nb::callable& other) {
    for (const nb::handle each : fields) {
      if (group_kind_.ptr() == reinterpret_cast<PyObject*>(Py_TYPE(each.ptr()))) {
        write_group(each, other);
      } else {
        write_entry(each, other);
      }
      if (now_.size() >= kBatch) add_now();
    }
    add_now();
  }

  /// Last of all: what was lent.
  void lend() {
    if (later_.empty()) return;
    Loans& loans = nb::cast<Loans&>(loans_);
    for (Later& later : later_) {
      loans.add(later.field.path.text(), std::move(later.tensor), std::move(later.memory));
      session_.add_field_later(std::move(later.field), std::move(later.view), nullptr);
    }
    later_.clear();
  }

 private:
  struct Later {
    Field field;
    TensorView view;
    nb::object tensor, memory;
  };

  void write_group(nb::handle group, const nb::callable& other) {
    const GroupParts parts(group);
    if (!PyDict_Check(parts.values.ptr())) throw nb::type_error("values are a dict");
    PyObject *name = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(parts.values.ptr(), &at, &name, &value) != 0;) {
      Field field;
      const bool done = take(field, value, [&] { return parts.field_of(name); });
      if (!done) other(field.path.text(), group.attr("entry")(nb::handle(name), nb::handle(value)));
    }
  }

  void write_entry(nb::handle entry, const nb::callable& other) {
    static PyObject* const kValueName = interned("value");
    Field field;
    const nb::object value = attribute(entry, kValueName);
    const bool done = take(field, value, [&] { return field_of_entry(entry); });
    if (!done) other(field.path.text(), entry);
  }

  static Field field_of_entry(nb::handle entry) {
    static PyObject* const kPath = interned("path");
    static PyObject* const kRole = interned("role");
    static PyObject* const kTraits = interned("traits");
    Field field;
    field.path = FieldPath(joined(attribute(entry, kPath).ptr()));
    field.role = role_from(text_of(attribute(entry, kRole).ptr()));
    field.traits = traits_of(attribute(entry, kTraits).ptr());
    return field;
  }

  /// False: the value is left to Python. `field` has its path then, or none where that is no text.
  template <typename Describe>
  bool take(Field& field, nb::handle value, const Describe& describe) {
    try {
      field = describe();
      make_unique(field.path);
      if (is_simple(value.ptr())) return take_value(field, value);
      if (reader_.is_plain(value)) return take_tensor(field, value);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;
    } catch (const nb::builtin_exception&) {
      return false;
    }
    return false;
  }

  /// A path that no other field of this record has.
  void make_unique(FieldPath& path) {
    const int count = ++taken_[path.text()];
    if (count > 1) path = FieldPath(path.text() + "#" + std::to_string(count));
  }

  bool take_value(Field& field, nb::handle value) {
    field.kind = FieldKind::value;
    field.value = value_from(value);
    const FieldBytesPtr bytes = value_bytes(*field.value);
    session_.add_field(std::move(field), *bytes);
    return true;
  }

  bool take_tensor(Field& field, nb::handle tensor) {
    auto facts = reader_.read(tensor);
    if (!facts) return false;
    field.kind = FieldKind::tensor;
    field.dtype = facts->view.dtype;
    field.shape = facts->view.shape;
    field.layout.strides = facts->view.strides;
    field.layout.storage = facts->storage;
    field.layout.storage_offset = facts->storage_offset;
    field.layout.device = "cpu";
    field.layout.requires_grad = facts->requires_grad;
    if (may_lend(field, tensor)) {
      later_.push_back(
          {std::move(field), std::move(facts->view), nb::borrow(tensor), std::move(facts->memory)});
    } else {
      now_.push_back({std::move(field), tensor_bytes(std::move(facts->view), nullptr)});
      now_alive_.push_back(nb::borrow(tensor));
    }
    return true;
  }

  /// Plain tensors go to the session many at a time: it spreads digests over threads.
  void add_now() {
    std::vector<FieldWithBytes> fields;
    fields.swap(now_);
    {
      const nb::gil_scoped_release unlocked;
      session_.add_fields(std::move(fields));
    }
    now_alive_.clear();
  }

  /// And a change would be seen.
  bool may_lend(const Field& field, nb::handle tensor) const {
    if (loans_.is_none() || !is_of_optimizer(field)) return false;
    if (!has_version(tensor)) return false;
    const std::string& path = field.path.text();
    return PySet_GET_SIZE(never_.ptr()) == 0 ||
           PySet_Contains(never_.ptr(), nb::str(path.data(), path.size()).ptr()) == 0;
  }

  nb::object owner_;
  Session& session_;
  nb::object group_kind_;
  TensorReader reader_;
  nb::object loans_, never_;
  std::unordered_map<std::string, int> taken_;
  std::deque<Later> later_;
  std::vector<FieldWithBytes> now_;
  std::vector<nb::object> now_alive_;
};

}  // namespace

void bind_fields(nb::module_& module) {
  nb::class_<Loans>(module, "Loans")
      .def(nb::init<>())
      .def("__len__", &Loans::size)
      .def_prop_ro("paths", &Loans::paths)
      .def("add", nb::overload_cast<std::string, nb::object>(&Loans::add), nb::arg("path"),
           nb::arg("tensor"))
      .def("changed", &Loans::changed, nb::arg("first"), nb::arg("last"))
      .def("release", &Loans::release, nb::arg("first"), nb::arg("last"))
      .def("clear", &Loans::clear);
  nb::class_<FieldWriter>(module, "FieldWriter")
      .def(nb::init<nb::object, nb::object, nb::tuple, nb::object, nb::object, nb::object>(),
           nb::arg("session"), nb::arg("group_kind"), nb::arg("kinds"), nb::arg("strided"),
           nb::arg("loans").none(), nb::arg("never"))
      .def("write", &FieldWriter::write, nb::arg("fields"), nb::arg("other"))
      .def("lend", &FieldWriter::lend);
}

}  // namespace samestep::python
