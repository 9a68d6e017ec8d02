#include "checkpoint/formats/safetensors_folder.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "checkpoint/formats/assembled_bytes.h"
#include "checkpoint/formats/document_union.h"
#include "checkpoint/formats/folder_reader.h"
#include "checkpoint/formats/tensor_leaf.h"
#include "schemas/error.h"
#include "schemas/json/node.h"

namespace samestep {
namespace {

constexpr const char* kSharding = "DCP_SHARDING_INFO";

std::string_view text_of(const FileSlice& slice) {
  return {reinterpret_cast<const char*>(slice.bytes.data()), slice.bytes.size()};
}

/// Checks one `model.safetensors.index.json`.
class Index {
 public:
  Index(const Folder& folder, const std::string& path, const std::vector<Safetensors>& files,
        Document& document)
      : folder_(folder), path_(path), document_(document) {
    for (const Safetensors& file : files)
      for (const Leaf& leaf : file.document.leaves)
        held_[leaf.source.file].insert(leaf.source.keys[0].text);
  }

  void check() {
    const JsonNode root = JsonNode::parse(text_of(folder_.open(path_)), path_);
    if (!root.contains("weight_map")) return;
    std::map<std::string, std::set<std::string>> wanted;
    for (const JsonNode& member : root.at("weight_map").items())
      wanted[member.as_string()].insert(member.key());
    for (const auto& [shard, names] : wanted) one_shard(shard, names);
  }

 private:
  void one_shard(const std::string& shard, const std::set<std::string>& names) {
    const std::string file = join_path(folder_name(path_), shard);
    try {
      folder_.open(file, path_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) throw;
      problem(printable(file), "the shard is missing; it holds " + std::to_string(names.size()) +
                                   " tensors (" + printable(*names.begin()) + ", ...)");
      return;
    }
    if (!file.ends_with(".safetensors"))
      return;  // pytorch_model.bin shards: their own reader names what they hold
    for (const std::string& name : names)
      if (!held_[file].contains(name))
        problem(printable(name),
                "the index places it in " + printable(file) + ", which does not hold it");
  }

  void problem(const std::string& where, const std::string& message) {
    document_.problems.push_back({Problem::Kind::incomplete, where, message});
  }

  const Folder& folder_;
  const std::string path_;
  Document& document_;
  std::map<std::string, std::set<std::string>> held_;
};

/// Tensors of which files hold blocks.
class Sharded {
 public:
  explicit Sharded(Document& document) : document_(document) {}

  void add(const Safetensors& file) {
    const auto sharding = file.metadata.find(kSharding);
    if (sharding == file.metadata.end() || file.document.leaves.empty()) return;
    const std::string& name = file.document.leaves[0].source.file;
    const JsonNode root = JsonNode::parse(sharding->second, name + ": " + kSharding);
    for (const Leaf& leaf : file.document.leaves) {
      const auto info = root.find(leaf.source.keys[0].text);
      if (info) block(leaf, info->at("saved_offsets"));
    }
  }

  void finish() {
    for (auto& [name, tensor] : tensors_) assemble(name, tensor);
  }

 private:
  struct Tensor {
    const Leaf* first = nullptr;
    std::vector<std::int64_t> shape;
    std::vector<Block> blocks;
  };

  void block(const Leaf& leaf, const JsonNode& saved_offsets) {
    const std::string& name = leaf.source.keys[0].text;
    Tensor& tensor = tensors_[name];
    if (!tensor.first) {
      tensor.first = &leaf;
      tensor.shape.assign(leaf.shape.size(), 0);
    }
    if (leaf.dtype != tensor.first->dtype || leaf.shape.size() != tensor.shape.size() ||
        saved_offsets.size() != leaf.shape.size())
      saved_offsets.fail("the blocks of \"" + printable(name) + "\" differ in dtype or dimensions");
    Block block{{}, leaf.shape, leaf.bytes};
    for (std::size_t i = 0; i < leaf.shape.size(); ++i) {
      block.offsets.push_back(saved_offsets[i].as_int());
      std::int64_t end = 0;
      if (block.offsets[i] < 0 || __builtin_add_overflow(block.offsets[i], leaf.shape[i], &end))
        saved_offsets.fail("the block of \"" + printable(name) + "\" lies outside any tensor");
      tensor.shape[i] = std::max(tensor.shape[i], end);
    }
    tensor.blocks.push_back(std::move(block));
  }

  void assemble(const std::string& name, Tensor& tensor) {
    if (tensor.blocks.size() == 1 && tensor.blocks[0].sizes == tensor.shape)
      return;  // a whole tensor
    const Cover cover = tensor_byte_count(tensor.first->dtype, tensor.shape)
                            ? cover_of(tensor.blocks, tensor.shape)
                            : Cover::hole;
    if (cover == Cover::hole) {
      document_.problems.push_back({Problem::Kind::incomplete, printable(name),
                                    "its blocks do not cover it: a shard is missing"});
      return;
    }
    if (cover == Cover::overlap) {
      document_.problems.push_back({Problem::Kind::inconsistent, printable(name),
                                    "several shards hold the same block of it"});
      return;
    }
    Leaf leaf;
    leaf.kind = FieldKind::tensor;
    leaf.source = {std::string(folder_name(tensor.first->source.file)), tensor.first->source.keys};
    leaf.dtype = tensor.first->dtype;
    leaf.shape = tensor.shape;
    leaf.bytes = assembled_bytes(std::move(tensor.blocks), tensor.shape, element_bytes(leaf.dtype));
    document_.leaves.push_back(std::move(leaf));
  }

  Document& document_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace

void add_safetensors(const Folder& folder, const std::string& at, std::vector<Safetensors>& files,
                     Document& document) {
  for (const std::string& path : files_in(folder, at))
    if (file_name(path).ends_with(".index.json")) Index(folder, path, files, document).check();
  Sharded sharded(document);
  for (const Safetensors& file : files) sharded.add(file);
  sharded.finish();
  for (Safetensors& file : files) append_document(document, std::move(file.document));
}

}  // namespace samestep
