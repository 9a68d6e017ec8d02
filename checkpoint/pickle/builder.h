// Builder: what a pickle has built so far: graph, stack, memo and marks, and what they cost.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/pickle/graph.h"
#include "checkpoint/pickle/machine.h"
#include "checkpoint/pickle/memo.h"
#include "checkpoint/pickle/opcode.h"
#include "checkpoint/pickle/stack.h"

namespace samestep::pickle {

/// The steps that opcodes are made of. Each checks what it needs and throws Error{corrupt}, with
/// the opcode that `begin` named and its offset; Error{limit} when memory is used up.
class Builder {
 public:
  Builder(const FileSlice& slice, const Limits& limits);

  /// The opcode that the next steps belong to.
  void begin(Opcode opcode, std::uint64_t at);
  [[noreturn]] void fail(const std::string& message) const;
  /// Counts memory that is about to be used.
  void charge(std::uint64_t bytes);

  void push(NodeId id) { stack_.push(id); }
  void push_none() { push(none_); }
  void push_boolean(bool value) { push(value ? true_ : false_); }
  void push_integer(std::int64_t value);
  void push_long(std::span<const std::byte> bytes);
  /// INT and LONG: decimal text of at most `digits_max` digits; "00" and "01" are Python 2's
  /// booleans.
  void push_integer_text(std::string_view text, std::uint64_t digits_max);
  void push_long_text(std::string_view text, std::uint64_t digits_max);
  void push_real_text(std::string_view text);
  void push_real(double value);
  /// Text, bytes or bytearray as a view; text must be UTF-8 (surrogates allowed).
  void push_view(Kind kind, std::string_view view);
  /// A Python 2 string: text or bytes, whichever it can be.
  void push_string(std::string_view raw) { push_view(kind_of_string(raw), raw); }
  /// STRING and UNICODE, as they were escaped.
  void push_quoted(std::string_view quoted);
  void push_escaped(std::string_view escaped);
  void push_container(Kind kind);
  void push_tuple(Kind kind, std::span<const NodeId> members);
  /// A tuple of the top `count` (at most 3) values.
  void push_last(std::size_t count);
  void push_object(NodeId callee, NodeId args, NodeId kwargs = kNoNode);
  void push_global(std::string_view module, std::string_view name);
  /// A number of the extension registry: stands for a class that only the writer's process knew.
  void push_extension(std::uint64_t code) {
    push_global("copyreg", "extension_" + std::to_string(code));
  }

  NodeId pop();
  NodeId top() const;
  void mark();
  /// POP: the top value, or the newest mark where that lies on top.
  void pop_value_or_mark();
  /// What lies above the newest mark, which goes. Valid until the next call.
  const std::vector<NodeId>& pop_mark();

  void put(std::uint64_t index);
  void memoize() { put(memo_.size()); }
  void get(std::uint64_t index);

  /// Into the list (or set) on top; an object takes both.
  void append(std::span<const NodeId> values, bool as_set);
  /// Key, value, key, value, ... into the dict or object on top.
  void set(std::span<const NodeId> pairs);
  /// BUILD: gives the object on top the state above it.
  void build();

  const Graph& graph() const { return graph_; }
  Graph take_graph() { return std::move(graph_); }

 private:
  static Kind kind_of_string(std::string_view raw);
  void push_decimal(std::string_view text, std::uint64_t digits_max);
  void push_string_copy(std::string text);
  bool can_be_key(NodeId id, int depth = 0) const;

  const FileSlice& slice_;
  std::uint64_t memory_max_, memory_ = 0;
  Opcode opcode_ = Opcode::stop;
  std::uint64_t opcode_at_ = 0;
  Graph graph_;
  Stack stack_;
  Memo memo_;
  std::vector<NodeId> marked_;
  NodeId none_ = kNoNode, true_ = kNoNode, false_ = kNoNode;
};

}  // namespace samestep::pickle
