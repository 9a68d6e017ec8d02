// A small language for foreign documents in tests: leaves by their keys, and the leaves that a
// sample's catalogue lists.
#pragma once

#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/formats/document.h"
#include "checkpoint/naming/name.h"
#include "schemas/json/node.h"
#include "tests/support/test_data.h"

namespace samestep::sketch {

/// A key: text is a string key, an int an integer key or index.
struct Key : SourceKey {
  Key(const char* name) : SourceKey{Kind::string, name} {}               // NOLINT
  Key(std::string name) : SourceKey{Kind::string, std::move(name)} {}    // NOLINT
  Key(int number) : SourceKey{Kind::integer, std::to_string(number)} {}  // NOLINT
  Key(SourceKey key) : SourceKey(std::move(key)) {}                      // NOLINT
};
using Keys = std::vector<Key>;

inline SourceKey attribute(const char* name) { return {SourceKey::Kind::attribute, name}; }

class HeldBytes : public FieldBytes {
 public:
  explicit HeldBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void stream(const ByteSink& sink) const override { sink(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Sketch {
 public:
  explicit Sketch(std::string file = "checkpoint.pt") : file_(std::move(file)) {}
  Sketch& in(std::string file) {
    file_ = std::move(file);
    return *this;
  }
  Sketch& tensor(const Keys& keys, std::vector<std::int64_t> shape, Dtype dtype = Dtype::float32) {
    Leaf& leaf = add(keys);
    leaf.kind = FieldKind::tensor;
    leaf.dtype = dtype;
    leaf.shape = std::move(shape);
    return *this;
  }
  /// A 0-d float32 tensor, as PyTorch keeps step counters.
  Sketch& scalar(const Keys& keys, float value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    tensor(keys, {});
    document_.leaves.back().bytes = std::make_shared<HeldBytes>(std::move(bytes));
    return *this;
  }
  Sketch& value(const Keys& keys, Value value) {
    add(keys).value = std::move(value);
    return *this;
  }
  Sketch& integer(const Keys& keys, std::int64_t number) { return value(keys, Value{number}); }
  Sketch& rng(const Keys& keys) { return tensor(keys, {5056}, Dtype::uint8); }
  Document take() { return std::move(document_); }
  StateTree named() { return name_document(take()); }

 private:
  Leaf& add(const Keys& keys) {
    Leaf leaf;
    leaf.source.file = file_;
    leaf.source.keys.assign(keys.begin(), keys.end());
    return document_.leaves.emplace_back(std::move(leaf));
  }
  std::string file_;
  Document document_;
};

inline Key key_of(const JsonNode& node) {
  if (node.is_string()) return Key(node.as_string());
  if (node.is_integer()) return Key(SourceKey{SourceKey::Kind::integer, node.integer_text()});
  if (const auto attr = node.find("attr"))
    return Key(SourceKey{SourceKey::Kind::attribute, attr->as_string()});
  return Key(SourceKey{SourceKey::Kind::repr, node.at("repr").as_string()});
}

/// The leaves that tests/samples/handed/<name>/sample.json lists, without their bytes.
inline Document sample_document(const std::string& name) {
  const std::string path = test_data("samples/handed/" + name + "/sample.json");
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Sketch sketch;
  for (const JsonNode& leaf : JsonNode::parse(text, path).at("leaves").elements()) {
    Keys keys;
    for (const JsonNode& key : leaf.at("path").elements()) keys.push_back(key_of(key));
    if (const auto in = leaf.find("file"); in && in->is_string()) sketch.in(in->as_string());
    const std::string& kind = leaf.at("kind").as_string();
    const auto text_of = [&] {
      const JsonNode value = leaf.at("value");
      return value.is_string() ? value.as_string() : value.integer_text();
    };
    if (kind == "tensor" || kind == "ndarray") {
      std::vector<std::int64_t> shape;
      for (const JsonNode& extent : leaf.at("shape").elements()) shape.push_back(extent.as_int());
      const std::string& dtype = leaf.at("dtype").as_string();
      sketch.tensor(keys, shape,
                    dtype == "<u4" ? Dtype::uint32 : dtype_from(dtype).value_or(Dtype::text));
    } else if (kind == "int_seq") {
      const auto count = static_cast<std::size_t>(leaf.at("len").as_int());
      sketch.value(keys, Numbers{std::vector<std::int64_t>(count)});
    } else if (kind == "int") {
      const std::string digits = text_of();
      digits.size() > 18 ? sketch.value(keys, BigInt{}) : sketch.integer(keys, std::stoll(digits));
    } else if (kind == "float") {
      sketch.value(keys, std::stod(text_of()));
    } else if (kind == "bool") {
      sketch.value(keys, leaf.at("value").as_bool());
    } else if (kind == "str") {
      sketch.value(keys, leaf.at("value").as_string());
    } else {
      sketch.value(keys, None{});
    }
  }
  return sketch.take();
}

}  // namespace samestep::sketch
