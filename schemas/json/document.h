// The tree behind JsonNode, and the builder that fills it. For schemas/json alone.
#pragma once

#include <deque>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "schemas/json/node.h"

namespace samestep {

struct JsonNode::Data {
  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;      ///< of a floating one
  std::string text;       ///< of a string; digits of an integer
  std::string key;        ///< name in the parent, when that is an object
  std::size_t index = 0;  ///< place in the parent
  const Data* parent = nullptr;
  std::vector<const Data*> children;  ///< in the order of the text
  std::vector<const Data*> by_key;    ///< of an object, sorted by key
};

struct JsonNode::Document {
  std::string where;
  std::pmr::monotonic_buffer_resource memory;  ///< of `nodes`: few large pieces, freed together
  std::pmr::deque<Data> nodes{&memory};        ///< addresses stay
};

/// Receives the events of a parser and keeps within the limits.
class JsonBuilder {
 public:
  JsonBuilder(std::string where, const JsonLimits& limits);

  void null() { add(JsonNode::Kind::null); }
  void boolean(bool value) { add(JsonNode::Kind::boolean).boolean = value; }
  void integer(std::string digits);
  void floating(double value) { add(JsonNode::Kind::floating).number = value; }
  void string(std::string value) { add(JsonNode::Kind::string).text = std::move(value); }
  void open(JsonNode::Kind kind);
  void key(std::string name) { key_ = std::move(name); }
  void close();
  JsonNode finish();

 private:
  JsonNode::Data& add(JsonNode::Kind kind);
  void index_members(JsonNode::Data& object);

  JsonLimits limits_;
  std::shared_ptr<JsonNode::Document> document_;
  std::vector<JsonNode::Data*> open_;
  std::string key_;
};

}  // namespace samestep
