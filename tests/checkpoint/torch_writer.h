// TorchWriter: pickles and archives as torch.save writes them, for tests.
#pragma once

#include <string>
#include <vector>

#include "tests/checkpoint/zip_writer.h"

namespace samestep::foreign {

inline std::string text(const std::string& value) { return "X" + little(value.size(), 4) + value; }
inline std::string integer(std::int64_t value) {
  return "\x8a\x08" + little(static_cast<std::uint64_t>(value), 8);
}
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string integers(const std::vector<std::int64_t>& values) {
  std::string bytes = "(";
  for (const std::int64_t value : values) bytes += integer(value);
  return bytes + "t";
}
inline std::string call(const std::string& module, const std::string& name,
                        const std::string& args) {
  return global(module, name) + "(" + args + "tR";
}

struct TensorText {
  std::string storage_class = "FloatStorage", key = "0", location = "cpu";
  std::int64_t elements = 6, offset = 0;
  std::vector<std::int64_t> shape = {2, 3}, strides = {3, 1};
  std::string requires_grad = "\x89";
  std::string more;  ///< further arguments, pickled
};

/// The persistent id of a tensor's storage.
inline std::string storage(const TensorText& tensor) {
  const bool untyped = tensor.storage_class == "UntypedStorage";
  return "(" + text("storage") + global(untyped ? "torch.storage" : "torch", tensor.storage_class) +
         text(tensor.key) + text(tensor.location) + integer(tensor.elements) + "tQ";
}

/// storage, offset, shape, strides.
inline std::string view_arguments(const TensorText& tensor) {
  return storage(tensor) + integer(tensor.offset) + integers(tensor.shape) +
         integers(tensor.strides);
}

/// _rebuild_tensor_v2(...).
inline std::string tensor(const TensorText& tensor = {}) {
  return call("torch._utils", "_rebuild_tensor_v2",
              view_arguments(tensor) + tensor.requires_grad + "N" + tensor.more);
}

/// {name: value}.
inline std::string dict(const std::string& name, const std::string& value) {
  return "}" + text(name) + value + "s";
}

inline std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// An archive of `object` with storage "0" = six floats 0..5.
inline std::vector<ZipRecord> torch_records(const std::string& object) {
  return {stored_record("ckpt/data.pkl", "\x80\x02" + object + "."),
          stored_record("ckpt/byteorder", "little"),
          stored_record("ckpt/data/0", floats({0, 1, 2, 3, 4, 5})),
          stored_record("ckpt/version", "3\n")};
}

}  // namespace samestep::foreign
