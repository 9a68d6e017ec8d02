#include "checkpoint/pickle/builder.h"

#include <algorithm>
#include <utility>

#include "checkpoint/pickle/literals.h"
#include "schemas/error.h"

namespace samestep::pickle {
namespace {

// What nodes cost in memory, with the slack of growing vectors.
constexpr std::uint64_t kNodeCost = 48, kMemberCost = 12, kContainerCost = 56, kObjectCost = 200,
                        kPutCost = 16, kMarkCost = 16;
// A tuple is looked into this far to see whether it can be a key.
constexpr std::size_t kHashableMembersMax = 64;
constexpr int kHashableDepthMax = 3;

}  // namespace

Builder::Builder(const FileSlice& slice, const Limits& limits)
    : slice_(slice),
      memory_max_(
          std::max(limits.memory_bytes, limits.memory_per_pickle_byte * slice.bytes.size())) {
  none_ = graph_.add_none();
  true_ = graph_.add_boolean(true);
  false_ = graph_.add_boolean(false);
}

void Builder::begin(Opcode opcode, std::uint64_t at) {
  opcode_ = opcode;
  opcode_at_ = at;
}

void Builder::fail(const std::string& message) const {
  const char* name = name_of(opcode_);
  const std::string opcode = name != nullptr
                                 ? std::string(name)
                                 : "byte " + std::to_string(static_cast<unsigned>(opcode_));
  throw Error(ErrorCode::corrupt, "pickle opcode " + opcode + ": " + message,
              place_in(slice_, opcode_at_), "the file is damaged: use another checkpoint");
}

void Builder::charge(std::uint64_t bytes) {
  memory_ += bytes;
  if (memory_ <= memory_max_ && graph_.size() < kNoNode - 8) return;
  throw Error(
      ErrorCode::limit,
      "the pickle needs more than " + std::to_string(memory_max_ >> 20) + " MiB for its values",
      place_in(slice_, opcode_at_), "it was not written by a trainer");
}

void Builder::push_integer(std::int64_t value) {
  charge(kNodeCost);
  push(graph_.add_integer(value));
}

void Builder::push_long(std::span<const std::byte> bytes) {
  charge(kNodeCost);
  push(add_long(graph_, bytes));
}

void Builder::push_integer_text(std::string_view text, std::uint64_t digits_max) {
  if (text == "00" || text == "01") return push_boolean(text == "01");
  push_decimal(text, digits_max);
}

void Builder::push_long_text(std::string_view text, std::uint64_t digits_max) {
  if (text.ends_with('L')) text.remove_suffix(1);
  push_decimal(text, digits_max);
}

void Builder::push_decimal(std::string_view text, std::uint64_t digits_max) {
  if (text.size() > digits_max) fail("the integer has " + std::to_string(text.size()) + " digits");
  charge(kNodeCost + kContainerCost + text.size());
  const auto id = add_decimal(graph_, text);
  if (!id) fail("the text is no integer");
  push(*id);
}

void Builder::push_real(double value) {
  charge(kNodeCost);
  push(graph_.add_real(value));
}

void Builder::push_real_text(std::string_view text) {
  const auto value = parse_real(text);
  if (!value) fail("the text is no number");
  push_real(*value);
}

void Builder::push_quoted(std::string_view quoted) {
  auto text = unescape_string(quoted);
  if (!text) fail("the string is not quoted or escaped properly");
  push_string_copy(std::move(*text));
}

void Builder::push_escaped(std::string_view escaped) {
  auto text = unescape_unicode(escaped);
  if (!text) fail("the string has a bad escape");
  push_string_copy(std::move(*text));
}

void Builder::push_view(Kind kind, std::string_view view) {
  if (kind == Kind::text && !is_wtf8(view)) fail("the string is not UTF-8");
  charge(kNodeCost);
  push(graph_.add_view(kind, view));
}

Kind Builder::kind_of_string(std::string_view raw) {
  return is_wtf8(raw) ? Kind::text : Kind::bytes;
}

void Builder::push_string_copy(std::string text) {
  charge(kNodeCost + kContainerCost + text.size());
  const Kind kind = kind_of_string(text);
  push(graph_.add_copy(kind, std::move(text)));
}

void Builder::push_container(Kind kind) {
  charge(kNodeCost + kContainerCost);
  push(graph_.add_container(kind));
}

void Builder::push_tuple(Kind kind, std::span<const NodeId> members) {
  charge(kNodeCost + kMemberCost * members.size());
  push(graph_.add_tuple(kind, members));
}

void Builder::push_last(std::size_t count) {
  NodeId members[3];
  for (std::size_t i = count; i-- > 0;) members[i] = pop();
  push_tuple(Kind::tuple, std::span<const NodeId>(members, count));
}

void Builder::push_object(NodeId callee, NodeId args, NodeId kwargs) {
  if (graph_.kind(args) != Kind::tuple) fail("the arguments are not a tuple");
  if (kwargs != kNoNode && graph_.kind(kwargs) != Kind::dict)
    fail("the keyword arguments are not a dict");
  charge(kNodeCost + kObjectCost);
  push(graph_.add_object(Object{callee, args, kwargs, {}, {}, {}}));
}

void Builder::push_global(std::string_view module, std::string_view name) {
  if (!is_wtf8(module) || !is_wtf8(name)) fail("the name is not UTF-8");
  charge(kNodeCost + kContainerCost + module.size() + name.size());
  push(graph_.add_copy(Kind::global, std::string(module) + "." + std::string(name)));
}

NodeId Builder::pop() {
  const NodeId id = stack_.pop();
  if (id == kNoNode) fail("the stack is empty (stack underflow)");
  return id;
}

NodeId Builder::top() const {
  const NodeId id = stack_.top();
  if (id == kNoNode) fail("the stack is empty (stack underflow)");
  return id;
}

void Builder::mark() {
  charge(kMarkCost);
  stack_.mark();
}

const std::vector<NodeId>& Builder::pop_mark() {
  if (!stack_.pop_mark(marked_)) fail("there is no MARK");
  return marked_;
}

void Builder::pop_value_or_mark() {
  if (stack_.top() == kNoNode && stack_.has_mark()) {
    pop_mark();
  } else {
    pop();
  }
}

void Builder::put(std::uint64_t index) {
  charge(kPutCost);
  memo_.put(index, top());
}

void Builder::get(std::uint64_t index) {
  const NodeId id = memo_.get(index);
  if (id == kNoNode) fail("memo entry " + std::to_string(index) + " was never set");
  push(id);
}

void Builder::append(std::span<const NodeId> values, bool as_set) {
  const NodeId target = top();
  const Kind kind = graph_.kind(target);
  std::vector<NodeId>* members = nullptr;
  if (kind == (as_set ? Kind::set : Kind::list)) members = &graph_.members(target);
  if (kind == Kind::object) members = &graph_.object(target).items;
  if (members == nullptr) fail("the value below takes no items");
  charge(kMemberCost * values.size());
  members->insert(members->end(), values.begin(), values.end());
}

bool Builder::can_be_key(NodeId id, int depth) const {
  const Kind kind = graph_.kind(id);
  const bool mutable_kind =
      kind == Kind::list || kind == Kind::dict || kind == Kind::set || kind == Kind::byte_array;
  if (mutable_kind) return false;
  if (kind != Kind::tuple || depth >= kHashableDepthMax) return true;
  const auto members = graph_.children(id);
  const auto looked_at =
      members.first(std::min(members.size(), kHashableMembersMax >> (2 * depth)));
  return std::all_of(looked_at.begin(), looked_at.end(),
                     [&](NodeId member) { return can_be_key(member, depth + 1); });
}

void Builder::set(std::span<const NodeId> pairs) {
  if (pairs.size() % 2 != 0) fail("a key has no value");
  const NodeId target = top();
  const Kind kind = graph_.kind(target);
  if (kind != Kind::dict && kind != Kind::object) fail("the value below takes no keys");
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (!can_be_key(pairs[i])) fail("the key is unhashable (a list, dict, set or bytearray)");
  }
  charge(kMemberCost * pairs.size());
  auto& members = kind == Kind::dict ? graph_.members(target) : graph_.object(target).pairs;
  members.insert(members.end(), pairs.begin(), pairs.end());
}

/// A state for something that is no object (a class, say) makes an object of it: what it would do
/// is not done here.
void Builder::build() {
  const NodeId state = pop();
  const NodeId target = top();
  if (graph_.kind(target) != Kind::object) {
    const Kind kind = graph_.kind(target);
    if (kind != Kind::global && kind != Kind::persistent) fail("the value below takes no state");
    pop();
    push_last(0);
    push_object(target, pop());
  }
  charge(kMemberCost);
  graph_.object(top()).states.push_back(state);
}

}  // namespace samestep::pickle
