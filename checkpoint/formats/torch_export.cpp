#include "checkpoint/formats/torch_export.h"

#include <map>
#include <optional>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/containers/json.h"
#include "checkpoint/formats/strided_leaf.h"
#include "checkpoint/formats/tensor_leaf.h"
#include "checkpoint/formats/torch_zip.h"
#include "schemas/error.h"

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

std::int64_t integer_at(const JsonNode& object, std::string_view name, const std::string& where) {
  const JsonNode* node = object.find(name);
  const JsonNode* inner = node == nullptr ? nullptr : node->find("as_int");
  const auto value = inner != nullptr  ? inner->as_int64()
                     : node != nullptr ? node->as_int64()
                                       : std::nullopt;
  if (!value) fail(where, "'" + std::string(name) + "' is no integer");
  return *value;
}

std::vector<std::int64_t> integers_at(const JsonNode& object, std::string_view name,
                                      const std::string& where) {
  const JsonNode* node = object.find(name);
  if (node == nullptr || node->kind != JsonNode::Kind::array || node->items.size() > kRankMax) {
    fail(where, "'" + std::string(name) + "' is no list of sizes");
  }
  std::vector<std::int64_t> values;
  for (const JsonNode& item : node->items) values.push_back(integer_at(item, "as_int", where));
  return values;
}

/// One entry of a config file.
void add_weight(const ZipArchive& archive, const std::string& folder, const std::string& name,
                const JsonNode& entry, Document& document) {
  const std::string where = archive.archive().file + ": " + name;
  const JsonNode* path = entry.find("path_name");
  const JsonNode* meta = entry.find("tensor_meta");
  if (path == nullptr || meta == nullptr || meta->kind != JsonNode::Kind::object) return;
  const ZipEntry* record = archive.find(folder + path->text);
  if (record == nullptr) fail(where, "record '" + path->text + "' is missing");
  const JsonNode* pickled = entry.find("use_pickle");
  if (pickled != nullptr && pickled->boolean) {
    document.notes.push_back(where + ": is a pickled constant and was left out");
    return;
  }
  const auto dtype = dtype_of(integer_at(*meta, "dtype", where));
  if (!dtype) fail(where, "the dtype is not known");
  StridedView view;
  view.dtype = *dtype;
  view.shape = integers_at(*meta, "sizes", where);
  view.strides = integers_at(*meta, "strides", where);
  view.offset = integer_at(*meta, "storage_offset", where);
  const Storage storage{archive.content(*record, kInflatedMax),
                        static_cast<std::int64_t>(document.leaves.size()), false};
  Leaf leaf = strided_leaf(storage, view, where);
  const JsonNode* gradient = meta->find("requires_grad");
  if (gradient != nullptr) leaf.layout.requires_grad = gradient->boolean;
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
  document.notes.push_back("an exported program, not a training checkpoint");
  for (const ZipEntry& entry : archive.entries()) {
    const FileSlice stored = archive.stored(entry);
    const bool checked = archive.has_checksums() && !entry.deflated;
    document.extents.push_back(Extent{stored.file, stored.offset, stored.bytes.size(),
                                      checked ? std::optional(entry.crc32) : std::nullopt,
                                      entry.name});
    if (!is_config(entry.name)) continue;
    const JsonNode root = parse_json(archive.content(entry, kInflatedMax), JsonDialect::python);
    const JsonNode* config = root.find("config");
    if (config == nullptr || config->kind != JsonNode::Kind::object) continue;
    const std::string folder = entry.name.substr(0, entry.name.rfind('/') + 1);
    for (std::size_t i = 0; i < config->items.size(); ++i) {
      add_weight(archive, folder, config->names[i], config->items[i], document);
    }
  }
  return document;
}

}  // namespace samestep
