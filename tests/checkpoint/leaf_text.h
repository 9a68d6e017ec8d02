// LeafText: leaves as lines of text, to compare with what a test expects.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "checkpoint/formats/document.h"

namespace samestep::foreign {

/// "a/0/.attr/<repr>".
inline std::string keys_text(const std::vector<SourceKey>& keys) {
  std::string text;
  for (const SourceKey& key : keys) {
    if (!text.empty()) text += "/";
    const bool repr = key.kind == SourceKey::Kind::repr;
    text += key.kind == SourceKey::Kind::attribute ? "." : repr ? "<" : "";
    text += key.text + (repr ? ">" : "");
  }
  return text;
}

/// "float32[2,3] 24 bytes", "int 5", "opaque os.system".
inline std::string content_text(const Leaf& leaf) {
  if (leaf.kind == FieldKind::opaque) return "opaque " + leaf.class_name;
  if (leaf.kind == FieldKind::value)
    return std::string(kind_of(leaf.value)) + " " + display(leaf.value);
  std::string text(to_string(leaf.dtype));
  text += "[";
  for (std::size_t i = 0; i < leaf.shape.size(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(leaf.shape[i]);
  return text + "] " + std::to_string(leaf.bytes->size()) + " bytes";
}

inline std::vector<std::string> leaf_lines(const Document& document) {
  std::vector<std::string> lines;
  for (const Leaf& leaf : document.leaves) {
    const std::string keys = keys_text(leaf.source.keys);
    lines.push_back((keys.empty() ? "" : keys + ": ") + content_text(leaf));
  }
  return lines;
}

/// All canonical bytes of a leaf.
inline std::string bytes_text(const Leaf& leaf) {
  std::string text;
  leaf.bytes->stream([&](std::span<const std::byte> piece) {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return text;
}

template <typename Number>
std::vector<Number> numbers_of(const Leaf& leaf) {
  const std::string bytes = bytes_text(leaf);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

}  // namespace samestep::foreign
