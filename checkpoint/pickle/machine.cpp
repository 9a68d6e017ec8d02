#include "checkpoint/pickle/machine.h"

#include <bit>
#include <charconv>
#include <utility>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/pickle/builder.h"
#include "checkpoint/pickle/opcode.h"

namespace samestep::pickle {
namespace {

constexpr int kProtocolMax = 5;

/// Reads opcodes and their arguments; Builder does what they say. Each `run_` knows one group of
/// opcodes and returns false for the others.
class Machine {
 public:
  Machine(const FileSlice& slice, std::uint64_t begin, const Limits& limits)
      : reader_(slice, begin), builder_(slice, limits), limits_(limits) {}

  Pickle run();

 private:
  bool run_number(Opcode opcode);
  bool run_string(Opcode opcode);
  bool run_text(Opcode opcode);
  bool run_memo(Opcode opcode);
  bool run_stack(Opcode opcode);
  bool run_container(Opcode opcode);
  bool run_fill(Opcode opcode);
  bool run_object(Opcode opcode);
  bool run_name(Opcode opcode);
  bool run_frame(Opcode opcode);

  std::string_view take(std::uint64_t length) {
    return characters(reader_.take(length, name_of(opcode_)));
  }
  std::string_view line() { return reader_.line(name_of(opcode_)); }
  std::uint64_t signed_length();
  std::uint64_t index_in_line();

  ByteReader reader_;
  Builder builder_;
  Limits limits_;
  Opcode opcode_ = Opcode::stop;
  int protocol_ = 0;
};

Pickle Machine::run() {
  while (true) {
    const std::uint64_t at = reader_.position();
    if (reader_.left() == 0) reader_.fail("the pickle ends without STOP");
    opcode_ = static_cast<Opcode>(reader_.u8("opcode"));
    builder_.begin(opcode_, at);
    if (opcode_ == Opcode::stop) break;
    const bool known = run_number(opcode_) || run_string(opcode_) || run_memo(opcode_) ||
                       run_container(opcode_) || run_fill(opcode_) || run_object(opcode_) ||
                       run_stack(opcode_) || run_name(opcode_) || run_text(opcode_) ||
                       run_frame(opcode_);
    if (!known) builder_.fail("this byte is no opcode");
  }
  const NodeId root = builder_.pop();
  return Pickle{builder_.take_graph(), root, reader_.position(), protocol_};
}

std::uint64_t Machine::signed_length() {
  const auto length = static_cast<std::int32_t>(reader_.u32(name_of(opcode_)));
  if (length < 0) builder_.fail("the length is negative");
  return static_cast<std::uint64_t>(length);
}

bool Machine::run_number(Opcode opcode) {
  switch (opcode) {
    case Opcode::none:
      builder_.push_none();
      return true;
    case Opcode::newtrue:
      builder_.push_boolean(true);
      return true;
    case Opcode::newfalse:
      builder_.push_boolean(false);
      return true;
    case Opcode::binint:
      builder_.push_integer(static_cast<std::int32_t>(reader_.u32("BININT")));
      return true;
    case Opcode::binint1:
      builder_.push_integer(reader_.u8("BININT1"));
      return true;
    case Opcode::binint2:
      builder_.push_integer(reader_.u16("BININT2"));
      return true;
    case Opcode::long1:
      builder_.push_long(reader_.take(reader_.u8("LONG1"), "LONG1"));
      return true;
    case Opcode::long4:
      builder_.push_long(reader_.take(signed_length(), "LONG4"));
      return true;
    case Opcode::binfloat: {
      std::uint64_t bits = 0;
      for (const std::byte byte : reader_.take(8, "BINFLOAT"))
        bits = (bits << 8) | std::to_integer<unsigned>(byte);
      builder_.push_real(std::bit_cast<double>(bits));
      return true;
    }
    default:
      return false;
  }
}

bool Machine::run_string(Opcode opcode) {
  switch (opcode) {
    case Opcode::short_binunicode:
      builder_.push_view(Kind::text, take(reader_.u8("SHORT_BINUNICODE")));
      return true;
    case Opcode::binunicode:
      builder_.push_view(Kind::text, take(reader_.u32("BINUNICODE")));
      return true;
    case Opcode::binunicode8:
      builder_.push_view(Kind::text, take(reader_.u64("BINUNICODE8")));
      return true;
    case Opcode::short_binbytes:
      builder_.push_view(Kind::bytes, take(reader_.u8("SHORT_BINBYTES")));
      return true;
    case Opcode::binbytes:
      builder_.push_view(Kind::bytes, take(reader_.u32("BINBYTES")));
      return true;
    case Opcode::binbytes8:
      builder_.push_view(Kind::bytes, take(reader_.u64("BINBYTES8")));
      return true;
    case Opcode::bytearray8:
      builder_.push_view(Kind::byte_array, take(reader_.u64("BYTEARRAY8")));
      return true;
    case Opcode::short_binstring:
      builder_.push_string(take(reader_.u8("SHORT_BINSTRING")));
      return true;
    case Opcode::binstring:
      builder_.push_string(take(signed_length()));
      return true;
    default:
      return false;
  }
}

bool Machine::run_text(Opcode opcode) {
  switch (opcode) {
    case Opcode::integer_text:
      builder_.push_integer_text(line(), limits_.text_digits);
      return true;
    case Opcode::long_text:
      builder_.push_long_text(line(), limits_.text_digits);
      return true;
    case Opcode::real_text:
      builder_.push_real_text(line());
      return true;
    case Opcode::string:
      builder_.push_quoted(line());
      return true;
    case Opcode::unicode:
      builder_.push_escaped(line());
      return true;
    default:
      return false;
  }
}

std::uint64_t Machine::index_in_line() {
  const std::string_view text = line();
  std::uint64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size())
    builder_.fail("the memo number is none");
  return index;
}

bool Machine::run_memo(Opcode opcode) {
  switch (opcode) {
    case Opcode::memoize:
      builder_.memoize();
      return true;
    case Opcode::binput:
      builder_.put(reader_.u8("BINPUT"));
      return true;
    case Opcode::long_binput:
      builder_.put(reader_.u32("LONG_BINPUT"));
      return true;
    case Opcode::put:
      builder_.put(index_in_line());
      return true;
    case Opcode::binget:
      builder_.get(reader_.u8("BINGET"));
      return true;
    case Opcode::long_binget:
      builder_.get(reader_.u32("LONG_BINGET"));
      return true;
    case Opcode::get:
      builder_.get(index_in_line());
      return true;
    default:
      return false;
  }
}

bool Machine::run_stack(Opcode opcode) {
  switch (opcode) {
    case Opcode::mark:
      builder_.mark();
      return true;
    case Opcode::pop:
      builder_.pop_value_or_mark();
      return true;
    case Opcode::pop_mark:
      builder_.pop_mark();
      return true;
    case Opcode::dup:
      builder_.push(builder_.top());
      return true;
    default:
      return false;
  }
}

bool Machine::run_frame(Opcode opcode) {
  switch (opcode) {
    case Opcode::proto:
      protocol_ = reader_.u8("PROTO");
      if (protocol_ > kProtocolMax)
        builder_.fail("protocol " + std::to_string(protocol_) + " is not known (0 to 5 are)");
      return true;
    case Opcode::frame:
      if (reader_.u64("FRAME") > reader_.left()) builder_.fail("the frame is longer than the data");
      return true;
    case Opcode::next_buffer:
    case Opcode::readonly_buffer:
      builder_.fail("out-of-band buffers are not kept in a file");
    default:
      return false;
  }
}

bool Machine::run_container(Opcode opcode) {
  switch (opcode) {
    case Opcode::empty_dict:
      builder_.push_container(Kind::dict);
      return true;
    case Opcode::empty_list:
      builder_.push_container(Kind::list);
      return true;
    case Opcode::empty_set:
      builder_.push_container(Kind::set);
      return true;
    case Opcode::empty_tuple:
      builder_.push_last(0);
      return true;
    case Opcode::tuple1:
      builder_.push_last(1);
      return true;
    case Opcode::tuple2:
      builder_.push_last(2);
      return true;
    case Opcode::tuple3:
      builder_.push_last(3);
      return true;
    case Opcode::tuple:
      builder_.push_tuple(Kind::tuple, builder_.pop_mark());
      return true;
    case Opcode::frozenset:
      builder_.push_tuple(Kind::frozen_set, builder_.pop_mark());
      return true;
    default:
      return false;
  }
}

bool Machine::run_fill(Opcode opcode) {
  switch (opcode) {
    case Opcode::list:
    case Opcode::dict: {
      const std::vector<NodeId>& members = builder_.pop_mark();
      builder_.push_container(opcode == Opcode::list ? Kind::list : Kind::dict);
      opcode == Opcode::list ? builder_.append(members, false) : builder_.set(members);
      return true;
    }
    case Opcode::append: {
      const NodeId value = builder_.pop();
      builder_.append({&value, 1}, false);
      return true;
    }
    case Opcode::appends:
      builder_.append(builder_.pop_mark(), false);
      return true;
    case Opcode::additems:
      builder_.append(builder_.pop_mark(), true);
      return true;
    case Opcode::setitems:
      builder_.set(builder_.pop_mark());
      return true;
    case Opcode::setitem: {
      const NodeId value = builder_.pop();
      const NodeId pair[] = {builder_.pop(), value};
      builder_.set(pair);
      return true;
    }
    default:
      return false;
  }
}

bool Machine::run_object(Opcode opcode) {
  switch (opcode) {
    case Opcode::reduce:
    case Opcode::newobj: {
      const NodeId args = builder_.pop();
      builder_.push_object(builder_.pop(), args);
      return true;
    }
    case Opcode::newobj_ex: {
      const NodeId kwargs = builder_.pop();
      const NodeId args = builder_.pop();
      builder_.push_object(builder_.pop(), args, kwargs);
      return true;
    }
    case Opcode::build:
      builder_.build();
      return true;
    case Opcode::obj: {
      const std::vector<NodeId>& values = builder_.pop_mark();
      if (values.empty()) builder_.fail("there is no class");
      const NodeId callee = values.front();
      builder_.push_tuple(Kind::tuple, std::span<const NodeId>(values).subspan(1));
      builder_.push_object(callee, builder_.pop());
      return true;
    }
    case Opcode::inst: {
      const std::string_view module = line();
      builder_.push_tuple(Kind::tuple, builder_.pop_mark());
      const NodeId args = builder_.pop();
      builder_.push_global(module, line());
      builder_.push_object(builder_.pop(), args);
      return true;
    }
    default:
      return false;
  }
}

bool Machine::run_name(Opcode opcode) {
  switch (opcode) {
    case Opcode::global: {
      const std::string_view module = line();
      builder_.push_global(module, line());
      return true;
    }
    case Opcode::stack_global: {
      const NodeId name = builder_.pop(), module = builder_.pop();
      const Graph& graph = builder_.graph();
      if (graph.kind(name) != Kind::text || graph.kind(module) != Kind::text)
        builder_.fail("the name is not a string");
      builder_.push_global(graph.text(module), graph.text(name));
      return true;
    }
    case Opcode::ext1:
      builder_.push_extension(reader_.u8("EXT1"));
      return true;
    case Opcode::ext2:
      builder_.push_extension(reader_.u16("EXT2"));
      return true;
    case Opcode::ext4:
      builder_.push_extension(reader_.u32("EXT4"));
      return true;
    case Opcode::persid:
      builder_.push_string(line());
      [[fallthrough]];
    case Opcode::binpersid: {
      const NodeId reference = builder_.pop();
      builder_.push_tuple(Kind::persistent, {&reference, 1});
      return true;
    }
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
