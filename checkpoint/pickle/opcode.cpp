#include "checkpoint/pickle/opcode.h"

#include <algorithm>
#include <iterator>

namespace samestep::pickle {
namespace {

struct Named {
  Opcode opcode;
  const char* name;
};

constexpr Named kNames[] = {
    {Opcode::mark, "MARK"},
    {Opcode::stop, "STOP"},
    {Opcode::pop, "POP"},
    {Opcode::pop_mark, "POP_MARK"},
    {Opcode::dup, "DUP"},
    {Opcode::real_text, "FLOAT"},
    {Opcode::integer_text, "INT"},
    {Opcode::binint, "BININT"},
    {Opcode::binint1, "BININT1"},
    {Opcode::long_text, "LONG"},
    {Opcode::binint2, "BININT2"},
    {Opcode::none, "NONE"},
    {Opcode::persid, "PERSID"},
    {Opcode::binpersid, "BINPERSID"},
    {Opcode::reduce, "REDUCE"},
    {Opcode::string, "STRING"},
    {Opcode::binstring, "BINSTRING"},
    {Opcode::short_binstring, "SHORT_BINSTRING"},
    {Opcode::unicode, "UNICODE"},
    {Opcode::binunicode, "BINUNICODE"},
    {Opcode::append, "APPEND"},
    {Opcode::build, "BUILD"},
    {Opcode::global, "GLOBAL"},
    {Opcode::dict, "DICT"},
    {Opcode::empty_dict, "EMPTY_DICT"},
    {Opcode::appends, "APPENDS"},
    {Opcode::get, "GET"},
    {Opcode::binget, "BINGET"},
    {Opcode::inst, "INST"},
    {Opcode::long_binget, "LONG_BINGET"},
    {Opcode::list, "LIST"},
    {Opcode::empty_list, "EMPTY_LIST"},
    {Opcode::obj, "OBJ"},
    {Opcode::put, "PUT"},
    {Opcode::binput, "BINPUT"},
    {Opcode::long_binput, "LONG_BINPUT"},
    {Opcode::setitem, "SETITEM"},
    {Opcode::tuple, "TUPLE"},
    {Opcode::empty_tuple, "EMPTY_TUPLE"},
    {Opcode::setitems, "SETITEMS"},
    {Opcode::binfloat, "BINFLOAT"},
    {Opcode::binbytes, "BINBYTES"},
    {Opcode::short_binbytes, "SHORT_BINBYTES"},
    {Opcode::proto, "PROTO"},
    {Opcode::newobj, "NEWOBJ"},
    {Opcode::ext1, "EXT1"},
    {Opcode::ext2, "EXT2"},
    {Opcode::ext4, "EXT4"},
    {Opcode::tuple1, "TUPLE1"},
    {Opcode::tuple2, "TUPLE2"},
    {Opcode::tuple3, "TUPLE3"},
    {Opcode::newtrue, "NEWTRUE"},
    {Opcode::newfalse, "NEWFALSE"},
    {Opcode::long1, "LONG1"},
    {Opcode::long4, "LONG4"},
    {Opcode::short_binunicode, "SHORT_BINUNICODE"},
    {Opcode::binunicode8, "BINUNICODE8"},
    {Opcode::binbytes8, "BINBYTES8"},
    {Opcode::empty_set, "EMPTY_SET"},
    {Opcode::additems, "ADDITEMS"},
    {Opcode::frozenset, "FROZENSET"},
    {Opcode::newobj_ex, "NEWOBJ_EX"},
    {Opcode::stack_global, "STACK_GLOBAL"},
    {Opcode::memoize, "MEMOIZE"},
    {Opcode::frame, "FRAME"},
    {Opcode::bytearray8, "BYTEARRAY8"},
    {Opcode::next_buffer, "NEXT_BUFFER"},
    {Opcode::readonly_buffer, "READONLY_BUFFER"},
};

}  // namespace

const char* name_of(Opcode opcode) noexcept {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const Named& named) { return named.opcode == opcode; });
  return found == std::end(kNames) ? nullptr : found->name;
}

}  // namespace samestep::pickle
