#include "checkpoint/formats/torch_export.h"

#include <map>
#include <optional>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/formats/strided_leaf.h"
#include "checkpoint/formats/tensor_leaf.h"
#include "checkpoint/formats/torch_zip.h"
#include "schemas/error.h"
#include "schemas/json/node.h"

namespace samestep {
namespace {

constexpr std::string_view kConfigSuffixes[] = {"_weights_config.json", "_constants_config.json"};
constexpr std::uint64_t kInflatedMax = 64ull << 20;

/// torch/_export/serde/schema.py, ScalarType.
std::optional<Dtype> dtype_of(std::int64_t number) {
  static const std::map<std::int64_t, Dtype> kTypes = {{1, Dtype::uint8},
                                                       {2, Dtype::int8},
                                                       {3, Dtype::int16},
                                                       {4, Dtype::int32},
                                                       {5, Dtype::int64},
                                                       {6, Dtype::float16},
                                                       {7, Dtype::float32},
                                                       {8, Dtype::float64},
                                                       {9, Dtype::complex32},
                                                       {10, Dtype::complex64},
                                                       {11, Dtype::complex128},
                                                       {12, Dtype::boolean},
                                                       {13, Dtype::bfloat16},
                                                       {28, Dtype::uint16},
                                                       {29, Dtype::float8_e4m3fn},
                                                       {30, Dtype::float8_e5m2},
                                                       {31, Dtype::float8_e4m3fnuz},
                                                       {32, Dtype::float8_e5m2fnuz},
                                                       {33, Dtype::float8_e8m0fnu},
                                                       {34, Dtype::uint32},
                                                       {35, Dtype::uint64}};
  const auto found = kTypes.find(number);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

[[noreturn]] void fail(const std::string& where, const std::string& message) {
  throw Error(ErrorCode::corrupt, message, where, "export the program again");
}

/// An integer, or an object that wraps one ({"as_int": 3}).
std::int64_t integer_of(const JsonNode& node) {
  const auto inner = node.find("as_int");
  return inner ? inner->as_int() : node.as_int();
}

std::vector<std::int64_t> integers_of(const JsonNode& node) {
  if (!node.is_array() || node.size() > kRankMax) node.fail("is no list of sizes");
  std::vector<std::int64_t> values;
  for (const JsonNode& item : node.elements()) values.push_back(integer_of(item));
  return values;
}

bool is_true(const std::optional<JsonNode>& node) {
  return node && node->is_boolean() && node->as_bool();
}

/// One entry of a config file.
void add_weight(const ZipArchive& archive, const std::string& folder, const std::string& name,
                const JsonNode& entry, Document& document) {
  const std::string where = archive.archive().file + ": " + name;
  const auto path = entry.find("path_name"), meta = entry.find("tensor_meta");
  if (!path || !meta || !meta->is_object()) return;
  const ZipEntry* record = archive.find(folder + path->as_string());
  if (record == nullptr) fail(where, "record '" + path->as_string() + "' is missing");
  if (is_true(entry.find("use_pickle"))) {
    document.notes.push_back(where + ": is a pickled constant and was left out");
    return;
  }
  const auto dtype = dtype_of(integer_of(meta->at("dtype")));
  if (!dtype) fail(where, "the dtype is not known");
  StridedView view;
  view.dtype = *dtype;
  view.shape = integers_of(meta->at("sizes"));
  view.strides = integers_of(meta->at("strides"));
  view.offset = integer_of(meta->at("storage_offset"));
  constexpr std::uint64_t kNothingInflated = 0;  // torch stores weights as they are
  const Storage storage{archive.content(*record, kNothingInflated),
                        record - archive.entries().data(), false};
  Leaf leaf = strided_leaf(storage, view, where);
  if (meta->contains("requires_grad"))
    leaf.layout.requires_grad = is_true(meta->find("requires_grad"));
  leaf.source = Source{archive.archive().file, {{SourceKey::Kind::string, name}}};
  document.leaves.push_back(std::move(leaf));
}

bool is_config(const std::string& name) {
  for (const std::string_view suffix : kConfigSuffixes) {
    if (name.ends_with(suffix)) return true;
  }
  return false;
}

}  // namespace

bool is_torch_export(const ZipArchive& archive) {
  bool format = false, config = false;
  for (const ZipEntry& entry : archive.entries()) {
    format = format || entry.name.ends_with("/archive_format");
    config = config || is_config(entry.name);
  }
  return format && config && !is_torch_zip(archive);
}

Document read_torch_export(const ZipArchive& archive) {
  Document document;
  document.format = "torch.export archive";
  document.notes = archive.notes();
  document.notes.emplace_back("an exported program, not a training checkpoint");
  for (const ZipEntry& entry : archive.entries()) {
    const FileSlice stored = archive.stored(entry);
    const bool checked = archive.has_checksums() && !entry.deflated;
    document.extents.push_back(Extent{stored.file, stored.offset, stored.bytes.size(),
                                      checked ? std::optional(entry.crc32) : std::nullopt,
                                      entry.name});
    if (!is_config(entry.name)) continue;
    const FileSlice content = archive.content(entry, kInflatedMax);
    const JsonNode root =
        JsonNode::parse(characters(content.bytes), archive.archive().file + ": " + entry.name);
    const auto config = root.find("config");
    if (!config || !config->is_object()) continue;
    const std::string folder = entry.name.substr(0, entry.name.rfind('/') + 1);
    for (const JsonNode& weight : config->items())
      add_weight(archive, folder, weight.key(), weight, document);
  }
  return document;
}

}  // namespace samestep
