#include "tests/checkpoint/sample.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/containers/mapped_file.h"
#include "checkpoint/hasher.h"
#include "tests/support/test_data.h"

namespace samestep::test {
namespace {

std::string text_of(const JsonNode& node) {
  return node.is_integer() ? node.integer_text() : node.as_string();
}

std::string key_of(const JsonNode& key) {
  if (!key.is_object()) return text_of(key);
  const JsonNode inner = key.items()[0];
  return inner.key() + "=" + inner.as_string();
}

std::string path_of(const std::vector<SourceKey>& keys) {
  std::string text;
  for (const SourceKey& key : keys) {
    const bool attribute = key.kind == SourceKey::Kind::attribute,
               repr = key.kind == SourceKey::Kind::repr;
    text += "/" + std::string(attribute ? "attr=" : repr ? "repr=" : "") + key.text;
  }
  return text;
}

std::string path_of(const JsonNode& keys) {
  std::string text;
  for (const JsonNode& key : keys.elements()) text += "/" + key_of(key);
  return text;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += std::to_string(size) + ",";
  return text;
}

std::string shape_text(const JsonNode& shape) {
  std::string text;
  for (const JsonNode& size : shape.elements()) text += size.integer_text() + ",";
  return text;
}

std::string wrong_tensor(const JsonNode& want, const Leaf& leaf, bool is_array) {
  if (leaf.kind != FieldKind::tensor) return "is no tensor";
  if (shape_text(want.at("shape")) != shape_text(leaf.shape))
    return "shape " + shape_text(leaf.shape);
  std::string dtype = want.at("dtype").as_string();
  if (dtype.starts_with("torch.")) dtype = dtype.substr(6);
  if (!is_array && dtype != to_string(leaf.dtype))
    return "dtype " + std::string(to_string(leaf.dtype));
  const auto sha256 = want.find("sha256");
  if (sha256 && sha256->as_string() != sha256_of(*leaf.bytes)) return "sha256 of the bytes";
  return {};
}

std::string number_text(const Value& value) {
  if (std::holds_alternative<bool>(value)) return std::get<bool>(value) ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (std::holds_alternative<std::int64_t>(value) || std::holds_alternative<BigInt>(value))
    return decimal(value);
  return display(value);
}

std::string wrong_value(const std::string& kind, const JsonNode& want, const Leaf& leaf) {
  if (kind == "float") {
    const auto bits = std::strtoull(want.at("hex").as_string().c_str(), nullptr, 16);
    const double expected = std::bit_cast<double>(bits);
    const auto* got = std::get_if<double>(&leaf.value);
    if (got == nullptr) return "is no float";
    const bool same = *got == expected || (std::isnan(*got) && std::isnan(expected));
    return same ? std::string() : "value " + display(leaf.value);
  }
  const JsonNode value = want.at("value");
  const std::string expected =
      value.is_boolean() ? (value.as_bool() ? "true" : "false") : text_of(value);
  return number_text(leaf.value) == expected ? std::string() : "value " + display(leaf.value);
}

std::string wrong_leaf(const JsonNode& want, const Leaf& leaf) {
  const std::string kind = want.at("kind").as_string();
  if (kind == "tensor" || kind == "ndarray") return wrong_tensor(want, leaf, kind == "ndarray");
  if (kind == "float" || kind == "int" || kind == "bool" || kind == "str")
    return wrong_value(kind, want, leaf);
  if (kind == "bytes" || kind == "bytearray") {
    const auto* bytes = std::get_if<Bytes>(&leaf.value);
    return bytes != nullptr && std::to_string(bytes->size()) == want.at("len").integer_text()
               ? ""
               : "is not these bytes";
  }
  if (kind == "int_seq") {
    const auto* numbers = std::get_if<Numbers>(&leaf.value);
    const auto* values =
        numbers == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&numbers->values);
    return values != nullptr && std::to_string(values->size()) == want.at("len").integer_text()
               ? ""
               : "is not these numbers";
  }
  return {};
}

}  // namespace

std::string sample_folder(const std::string& name) { return test_data("samples/" + name); }

FileSlice sample_file(const std::string& name, const std::string& file) {
  return map_file(sample_folder(name) + "/" + file, file);
}

JsonNode sample_json(const std::string& name) {
  const FileSlice file = sample_file(name, "sample.json");
  JsonLimits limits;
  limits.non_finite = true;
  return JsonNode::parse(characters(file.bytes), name, limits);
}

std::vector<std::string> wrong_leaves(const JsonNode& sample, const std::string& file,
                                      const Document& document) {
  std::map<std::string, const Leaf*> found;
  for (const Leaf& leaf : document.leaves) found.emplace(path_of(leaf.source.keys), &leaf);
  std::vector<std::string> wrong;
  for (const JsonNode& want : sample.at("leaves").elements()) {
    const auto want_file = want.find("file");
    const std::string kind = want.at("kind").as_string();
    if ((want_file && want_file->as_string() != file) || kind.starts_with("empty_") ||
        kind == "backref")
      continue;
    const std::string path = path_of(want.at("path"));
    const auto leaf = found.find(path);
    const std::string problem =
        leaf == found.end() ? "is not there" : wrong_leaf(want, *leaf->second);
    if (!problem.empty()) wrong.push_back(path + " (" + kind + "): " + problem);
  }
  return wrong;
}

}  // namespace samestep::test
