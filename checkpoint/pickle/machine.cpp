#include "checkpoint/pickle/machine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/pickle/literals.h"
#include "checkpoint/pickle/memo.h"
#include "checkpoint/pickle/opcode.h"
#include "checkpoint/pickle/stack.h"
#include "schemas/error.h"

namespace samestep::pickle {
namespace {

// What nodes cost in memory, with the slack of growing vectors.
constexpr std::uint64_t kNodeCost = 48, kMemberCost = 12, kContainerCost = 56, kObjectCost = 200,
                        kPutCost = 16;
constexpr int kProtocolMax = 5;
// A tuple is looked into this far to see whether it can be a key.
constexpr std::size_t kHashableMembersMax = 64;
constexpr int kHashableDepthMax = 8;

class Machine {
 public:
  Machine(const FileSlice& slice, std::uint64_t begin, const Limits& limits)
      : slice_(slice),
        reader_(slice, begin),
        limits_(limits),
        memory_max_(
            std::max(limits.memory_bytes, limits.memory_per_pickle_byte * slice.bytes.size())) {}

  Pickle run();

 private:
  bool run_literal(Opcode opcode);
  bool run_text_literal(Opcode opcode);
  bool run_memo(Opcode opcode);
  bool run_stack(Opcode opcode);
  bool run_container(Opcode opcode);
  bool run_object(Opcode opcode);
  bool run_name(Opcode opcode);

  [[noreturn]] void fail(const std::string& message) const;
  void charge(std::uint64_t cost);
  void push(NodeId id) { stack_.push(id); }
  void push_view(Kind kind, std::uint64_t length);
  void push_string(std::string_view raw);
  void push_copy(Kind kind, std::string text);
  void push_tuple(Kind kind, const std::vector<NodeId>& members);
  void push_last(std::size_t count);
  void push_long(std::uint64_t length);
  void push_object(NodeId callee, NodeId args, NodeId kwargs = kNoNode);
  void push_extension(std::uint64_t code);
  NodeId pop();
  NodeId top();
  const std::vector<NodeId>& pop_mark();
  NodeId add_global(std::string_view module, std::string_view name);
  void put(std::uint64_t index);
  void append_values(const std::vector<NodeId>& values, bool as_set);
  void set_pairs(const std::vector<NodeId>& pairs);
  void build();
  bool can_be_key(NodeId id, int depth = 0) const;
  std::uint64_t index_from_line();
  std::uint64_t signed_length(const char* what);

  const FileSlice& slice_;
  ByteReader reader_;
  Limits limits_;
  std::uint64_t memory_max_, memory_ = 0;
  std::uint64_t opcode_at_ = 0;
  Opcode opcode_ = Opcode::stop;
  Graph graph_;
  Stack stack_;
  Memo memo_;
  std::vector<NodeId> marked_;
  NodeId none_ = kNoNode, true_ = kNoNode, false_ = kNoNode;
  int protocol_ = 0;
};

Pickle Machine::run() {
  none_ = graph_.add_none();
  true_ = graph_.add_boolean(true);
  false_ = graph_.add_boolean(false);
  while (true) {
    opcode_at_ = reader_.position();
    if (reader_.left() == 0) reader_.fail("the pickle ends without STOP");
    opcode_ = static_cast<Opcode>(reader_.u8("opcode"));
    if (opcode_ == Opcode::stop) break;
    charge(0);
    if (!run_literal(opcode_) && !run_memo(opcode_) && !run_container(opcode_) &&
        !run_object(opcode_) && !run_stack(opcode_) && !run_name(opcode_) &&
        !run_text_literal(opcode_)) {
      fail("this byte is no opcode");
    }
  }
  const NodeId root = pop();
  return Pickle{std::move(graph_), root, reader_.position(), protocol_};
}

void Machine::fail(const std::string& message) const {
  const char* name = name_of(opcode_);
  const std::string opcode = name != nullptr
                                 ? std::string(name)
                                 : "byte " + std::to_string(static_cast<unsigned>(opcode_));
  reader_.fail_at(opcode_at_, "pickle opcode " + opcode + ": " + message);
}

void Machine::charge(std::uint64_t cost) {
  memory_ += cost;
  if (memory_ <= memory_max_ && graph_.size() < kNoNode - 8) return;
  throw Error(
      ErrorCode::limit,
      "the pickle needs more than " + std::to_string(memory_max_ >> 20) + " MiB for its values",
      place_in(slice_, opcode_at_), "it was not written by a trainer");
}

NodeId Machine::pop() {
  const NodeId id = stack_.pop();
  if (id == kNoNode) fail("the stack is empty (stack underflow)");
  return id;
}

NodeId Machine::top() {
  const NodeId id = stack_.top();
  if (id == kNoNode) fail("the stack is empty (stack underflow)");
  return id;
}

const std::vector<NodeId>& Machine::pop_mark() {
  if (!stack_.pop_mark(marked_)) fail("there is no MARK");
  return marked_;
}

void Machine::push_view(Kind kind, std::uint64_t length) {
  const std::string_view view = characters(reader_.take(length, name_of(opcode_)));
  if (kind == Kind::text && !is_wtf8(view)) fail("the string is not UTF-8");
  charge(kNodeCost);
  push(graph_.add_view(kind, view));
}

/// A Python 2 string holds text or bytes: whichever it can be.
void Machine::push_string(std::string_view raw) {
  charge(kNodeCost);
  push(graph_.add_view(is_wtf8(raw) ? Kind::text : Kind::bytes, raw));
}

void Machine::push_copy(Kind kind, std::string text) {
  charge(kNodeCost + kContainerCost + text.size());
  push(graph_.add_copy(kind, std::move(text)));
}

void Machine::push_tuple(Kind kind, const std::vector<NodeId>& members) {
  charge(kNodeCost + kMemberCost * members.size());
  push(graph_.add_tuple(kind, members));
}

void Machine::push_last(std::size_t count) {
  NodeId members[3];
  for (std::size_t i = count; i-- > 0;) members[i] = pop();
  charge(kNodeCost + kMemberCost * count);
  push(graph_.add_tuple(Kind::tuple, std::span<const NodeId>(members, count)));
}

void Machine::push_long(std::uint64_t length) {
  const auto bytes = reader_.take(length, name_of(opcode_));
  charge(kNodeCost);
  push(add_long(graph_, bytes));
}

std::uint64_t Machine::signed_length(const char* what) {
  const auto length = static_cast<std::int32_t>(reader_.u32(what));
  if (length < 0) fail("the length is negative");
  return static_cast<std::uint64_t>(length);
}

bool Machine::run_literal(Opcode opcode) {
  switch (opcode) {
    case Opcode::none:
      push(none_);
      return true;
    case Opcode::newtrue:
      push(true_);
      return true;
    case Opcode::newfalse:
      push(false_);
      return true;
    case Opcode::binint:
      charge(kNodeCost);
      push(graph_.add_integer(static_cast<std::int32_t>(reader_.u32("BININT"))));
      return true;
    case Opcode::binint1:
      charge(kNodeCost);
      push(graph_.add_integer(reader_.u8("BININT1")));
      return true;
    case Opcode::binint2:
      charge(kNodeCost);
      push(graph_.add_integer(reader_.u16("BININT2")));
      return true;
    case Opcode::long1:
      push_long(reader_.u8("LONG1"));
      return true;
    case Opcode::long4:
      push_long(signed_length("LONG4"));
      return true;
    case Opcode::binfloat: {
      std::uint64_t bits = 0;
      for (const std::byte byte : reader_.take(8, "BINFLOAT"))
        bits = (bits << 8) | std::to_integer<unsigned>(byte);
      charge(kNodeCost);
      push(graph_.add_real(std::bit_cast<double>(bits)));
      return true;
    }
    case Opcode::short_binunicode:
      push_view(Kind::text, reader_.u8("SHORT_BINUNICODE"));
      return true;
    case Opcode::binunicode:
      push_view(Kind::text, reader_.u32("BINUNICODE"));
      return true;
    case Opcode::binunicode8:
      push_view(Kind::text, reader_.u64("BINUNICODE8"));
      return true;
    case Opcode::short_binbytes:
      push_view(Kind::bytes, reader_.u8("SHORT_BINBYTES"));
      return true;
    case Opcode::binbytes:
      push_view(Kind::bytes, reader_.u32("BINBYTES"));
      return true;
    case Opcode::binbytes8:
      push_view(Kind::bytes, reader_.u64("BINBYTES8"));
      return true;
    case Opcode::bytearray8:
      push_view(Kind::byte_array, reader_.u64("BYTEARRAY8"));
      return true;
    case Opcode::short_binstring:
      push_string(characters(reader_.take(reader_.u8("SHORT_BINSTRING"), "SHORT_BINSTRING")));
      return true;
    case Opcode::binstring:
      push_string(characters(reader_.take(signed_length("BINSTRING"), "BINSTRING")));
      return true;
    default:
      return false;
  }
}

bool Machine::run_text_literal(Opcode opcode) {
  switch (opcode) {
    case Opcode::integer_text:
    case Opcode::long_text: {
      std::string_view line = reader_.line(name_of(opcode));
      if (opcode == Opcode::integer_text && (line == "00" || line == "01")) {
        push(line == "01" ? true_ : false_);
        return true;
      }
      if (opcode == Opcode::long_text && line.ends_with('L')) line.remove_suffix(1);
      if (line.size() > limits_.text_digits)
        fail("the integer has " + std::to_string(line.size()) + " digits");
      const auto id = add_decimal(graph_, line);
      if (!id) fail("the text is no integer");
      charge(kNodeCost + line.size());
      push(*id);
      return true;
    }
    case Opcode::real_text: {
      const auto value = parse_real(reader_.line("FLOAT"));
      if (!value) fail("the text is no number");
      charge(kNodeCost);
      push(graph_.add_real(*value));
      return true;
    }
    case Opcode::string: {
      auto text = unescape_string(reader_.line("STRING"));
      if (!text) fail("the string is not quoted or escaped properly");
      const Kind kind = is_wtf8(*text) ? Kind::text : Kind::bytes;
      push_copy(kind, std::move(*text));
      return true;
    }
    case Opcode::unicode: {
      auto text = unescape_unicode(reader_.line("UNICODE"));
      if (!text) fail("the string has a bad escape");
      push_copy(Kind::text, std::move(*text));
      return true;
    }
    default:
      return false;
  }
}

std::uint64_t Machine::index_from_line() {
  const std::string_view line = reader_.line(name_of(opcode_));
  std::uint64_t index = 0;
  if (line.empty() || line.size() > 18) fail("the memo number is none");
  for (const char digit : line) {
    if (digit < '0' || digit > '9') fail("the memo number is none");
    index = index * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return index;
}

void Machine::put(std::uint64_t index) {
  charge(kPutCost);
  memo_.put(index, top());
}

bool Machine::run_memo(Opcode opcode) {
  std::uint64_t index = 0;
  switch (opcode) {
    case Opcode::memoize:
      put(memo_.size());
      return true;
    case Opcode::binput:
      put(reader_.u8("BINPUT"));
      return true;
    case Opcode::long_binput:
      put(reader_.u32("LONG_BINPUT"));
      return true;
    case Opcode::put:
      put(index_from_line());
      return true;
    case Opcode::binget:
      index = reader_.u8("BINGET");
      break;
    case Opcode::long_binget:
      index = reader_.u32("LONG_BINGET");
      break;
    case Opcode::get:
      index = index_from_line();
      break;
    default:
      return false;
  }
  const NodeId id = memo_.get(index);
  if (id == kNoNode) fail("memo entry " + std::to_string(index) + " was never set");
  push(id);
  return true;
}

bool Machine::run_stack(Opcode opcode) {
  switch (opcode) {
    case Opcode::mark:
      charge(sizeof(std::size_t) * 2);
      stack_.mark();
      return true;
    case Opcode::pop:
      if (stack_.top() == kNoNode && stack_.has_mark()) {
        pop_mark();
      } else {
        pop();
      }
      return true;
    case Opcode::pop_mark:
      pop_mark();
      return true;
    case Opcode::dup:
      push(top());
      return true;
    case Opcode::proto:
      protocol_ = reader_.u8("PROTO");
      if (protocol_ > kProtocolMax) {
        fail("protocol " + std::to_string(protocol_) + " is not known (0 to 5 are)");
      }
      return true;
    case Opcode::frame:
      if (const std::uint64_t length = reader_.u64("FRAME"); length > reader_.left()) {
        fail("the frame is longer than the data");
      }
      return true;
    case Opcode::next_buffer:
    case Opcode::readonly_buffer:
      fail("out-of-band buffers are not kept in a file");
    default:
      return false;
  }
}

void Machine::append_values(const std::vector<NodeId>& values, bool as_set) {
  const NodeId target = top();
  const Kind kind = graph_.kind(target);
  std::vector<NodeId>* members = nullptr;
  if (kind == (as_set ? Kind::set : Kind::list)) members = &graph_.members(target);
  if (kind == Kind::object) members = &graph_.object(target).items;
  if (members == nullptr) fail("the value below takes no items");
  charge(kMemberCost * values.size());
  members->insert(members->end(), values.begin(), values.end());
}

bool Machine::can_be_key(NodeId id, int depth) const {
  const Kind kind = graph_.kind(id);
  if (kind == Kind::list || kind == Kind::dict || kind == Kind::set || kind == Kind::byte_array)
    return false;
  if (kind != Kind::tuple || depth >= kHashableDepthMax) return true;
  const auto members = graph_.children(id);
  const auto looked_at =
      members.first(std::min(members.size(), kHashableMembersMax >> (2 * depth)));
  return std::all_of(looked_at.begin(), looked_at.end(),
                     [&](NodeId member) { return can_be_key(member, depth + 1); });
}

void Machine::set_pairs(const std::vector<NodeId>& pairs) {
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

bool Machine::run_container(Opcode opcode) {
  switch (opcode) {
    case Opcode::empty_dict:
      charge(kNodeCost + kContainerCost);
      push(graph_.add_container(Kind::dict));
      return true;
    case Opcode::empty_list:
      charge(kNodeCost + kContainerCost);
      push(graph_.add_container(Kind::list));
      return true;
    case Opcode::empty_set:
      charge(kNodeCost + kContainerCost);
      push(graph_.add_container(Kind::set));
      return true;
    case Opcode::empty_tuple:
      push_last(0);
      return true;
    case Opcode::tuple1:
      push_last(1);
      return true;
    case Opcode::tuple2:
      push_last(2);
      return true;
    case Opcode::tuple3:
      push_last(3);
      return true;
    case Opcode::tuple:
      push_tuple(Kind::tuple, pop_mark());
      return true;
    case Opcode::frozenset:
      push_tuple(Kind::frozen_set, pop_mark());
      return true;
    case Opcode::list:
      pop_mark();
      charge(kNodeCost + kContainerCost);
      push(graph_.add_container(Kind::list));
      append_values(marked_, false);
      return true;
    case Opcode::dict:
      pop_mark();
      charge(kNodeCost + kContainerCost);
      push(graph_.add_container(Kind::dict));
      set_pairs(marked_);
      return true;
    case Opcode::append:
      append_values({pop()}, false);
      return true;
    case Opcode::appends:
      append_values(pop_mark(), false);
      return true;
    case Opcode::additems:
      append_values(pop_mark(), true);
      return true;
    case Opcode::setitems:
      set_pairs(pop_mark());
      return true;
    case Opcode::setitem: {
      const NodeId value = pop();
      const NodeId key = pop();
      set_pairs({key, value});
      return true;
    }
    default:
      return false;
  }
}

void Machine::push_object(NodeId callee, NodeId args, NodeId kwargs) {
  if (graph_.kind(args) != Kind::tuple) fail("the arguments are not a tuple");
  if (kwargs != kNoNode && graph_.kind(kwargs) != Kind::dict)
    fail("the keyword arguments are not a dict");
  charge(kNodeCost + kObjectCost);
  push(graph_.add_object(Object{callee, args, kwargs, {}, {}, {}}));
}

/// A state for something that is no object (a class, say) makes an object of it: what it would do
/// is not done here.
void Machine::build() {
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

bool Machine::run_object(Opcode opcode) {
  switch (opcode) {
    case Opcode::reduce:
    case Opcode::newobj: {
      const NodeId args = pop();
      push_object(pop(), args);
      return true;
    }
    case Opcode::newobj_ex: {
      const NodeId kwargs = pop();
      const NodeId args = pop();
      push_object(pop(), args, kwargs);
      return true;
    }
    case Opcode::build:
      build();
      return true;
    case Opcode::obj: {
      std::vector<NodeId> values = pop_mark();
      if (values.empty()) fail("there is no class");
      const NodeId callee = values.front();
      values.erase(values.begin());
      push_tuple(Kind::tuple, values);
      push_object(callee, pop());
      return true;
    }
    case Opcode::inst: {
      const std::string_view module = reader_.line("INST");
      const NodeId callee = add_global(module, reader_.line("INST"));
      push_tuple(Kind::tuple, pop_mark());
      push_object(callee, pop());
      return true;
    }
    case Opcode::binpersid:
      push_tuple(Kind::persistent, {pop()});
      return true;
    case Opcode::persid:
      push_string(reader_.line("PERSID"));
      push_tuple(Kind::persistent, {pop()});
      return true;
    default:
      return false;
  }
}

NodeId Machine::add_global(std::string_view module, std::string_view name) {
  if (!is_wtf8(module) || !is_wtf8(name)) fail("the name is not UTF-8");
  charge(kNodeCost + kContainerCost + module.size() + name.size());
  return graph_.add_copy(Kind::global, std::string(module) + "." + std::string(name));
}

/// A number of the extension registry: stands for a class that only the writer's process knew.
void Machine::push_extension(std::uint64_t code) {
  push(add_global("copyreg", "extension_" + std::to_string(code)));
}

bool Machine::run_name(Opcode opcode) {
  switch (opcode) {
    case Opcode::global: {
      const std::string_view module = reader_.line("GLOBAL");
      push(add_global(module, reader_.line("GLOBAL")));
      return true;
    }
    case Opcode::stack_global: {
      const NodeId name = pop();
      const NodeId module = pop();
      if (graph_.kind(name) != Kind::text || graph_.kind(module) != Kind::text)
        fail("the name is not a string");
      push(add_global(graph_.text(module), graph_.text(name)));
      return true;
    }
    case Opcode::ext1:
      push_extension(reader_.u8("EXT1"));
      return true;
    case Opcode::ext2:
      push_extension(reader_.u16("EXT2"));
      return true;
    case Opcode::ext4:
      push_extension(reader_.u32("EXT4"));
      return true;
    default:
      return false;
  }
}

}  // namespace

Pickle run_pickle(const FileSlice& slice, std::uint64_t begin, const Limits& limits) {
  return Machine(slice, begin, limits).run();
}

bool looks_like_pickle(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= 3 && bytes[0] == std::byte{0x80} && bytes[1] >= std::byte{2} &&
         bytes[1] <= std::byte{kProtocolMax} &&
         bytes.back() == static_cast<std::byte>(Opcode::stop);
}

}  // namespace samestep::pickle
