#include "schemas/json/document.h"

#include <algorithm>
#include <iterator>

#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {

JsonBuilder::JsonBuilder(std::string where, const JsonLimits& limits)
    : limits_(limits), document_(std::make_shared<JsonNode::Document>()) {
  document_->where = std::move(where);
}

JsonNode::Data& JsonBuilder::add(JsonNode::Kind kind) {
  if (document_->nodes.size() >= limits_.nodes) {
    throw Error(ErrorCode::limit, "more than " + std::to_string(limits_.nodes) + " JSON values",
                document_->where);
  }
  JsonNode::Data& data = document_->nodes.emplace_back();
  data.kind = kind;
  if (!open_.empty()) {
    JsonNode::Data& parent = *open_.back();
    data.parent = &parent;
    data.index = parent.children.size();
    if (parent.kind == JsonNode::Kind::object) data.key = std::move(key_);
    parent.children.push_back(&data);
  }
  return data;
}

void JsonBuilder::integer(std::string digits) {
  JsonNode::Data& data = add(JsonNode::Kind::integer);
  data.text = std::move(digits);
}

void JsonBuilder::open(JsonNode::Kind kind) {
  if (open_.size() >= limits_.depth) {
    throw Error(ErrorCode::limit, "JSON nested deeper than " + std::to_string(limits_.depth),
                document_->where);
  }
  open_.push_back(&add(kind));
}

void JsonBuilder::close() {
  JsonNode::Data& data = *open_.back();
  open_.pop_back();
  if (data.kind == JsonNode::Kind::object) index_members(data);
}

void JsonBuilder::index_members(JsonNode::Data& object) {
  object.by_key = object.children;
  std::stable_sort(object.by_key.begin(), object.by_key.end(),
                   [](const auto* a, const auto* b) { return a->key < b->key; });
  const auto same_key = [](const auto* a, const auto* b) { return a->key == b->key; };
  const auto twice = std::adjacent_find(object.by_key.begin(), object.by_key.end(), same_key);
  if (twice == object.by_key.end()) return;
  if (!limits_.duplicate_keys) {
    JsonNode(document_, &object).fail("key \"" + printable((*twice)->key) + "\" stands twice");
  }
  // The last one wins: keep the last of each run of equal keys.
  std::vector<const JsonNode::Data*> kept;
  for (auto it = object.by_key.begin(); it != object.by_key.end(); ++it) {
    if (std::next(it) == object.by_key.end() || !same_key(*it, *std::next(it))) kept.push_back(*it);
  }
  object.by_key = kept;
  std::sort(kept.begin(), kept.end(),
            [](const auto* a, const auto* b) { return a->index < b->index; });
  object.children = std::move(kept);
}

JsonNode JsonBuilder::finish() {
  SAMESTEP_CHECK(open_.empty() && !document_->nodes.empty());
  const JsonNode::Data* root = &document_->nodes.front();
  return JsonNode(std::move(document_), root);
}

}  // namespace samestep
