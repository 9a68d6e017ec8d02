#include "checkpoint/formats/npy_header.h"

#include <charconv>
#include <string>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/formats/tensor_leaf.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::uint64_t kMagicBytes = 6;
constexpr int kDepthMax = 8;
constexpr std::uint64_t kItemBytesMax = 1u << 28;

/// Reads the few literals that NumPy writes, in order.
class Literal {
 public:
  Literal(std::string_view text, const FileSlice& file, std::uint64_t offset)
      : text_(text), file_(file), offset_(offset) {}

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "' is missing");
  }
  std::string_view quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail("a string is missing");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    fail("True or False is missing");
  }
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!accept(')')) {
      if (sizes.size() == kRankMax) fail("the array has too many dimensions");
      sizes.push_back(integer());
      accept('L');  // Python 2
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }
  /// 'descr': text, or a list of fields of a structured type.
  NumpyDtype descr(int depth = 0);
  void end() {
    skip_space();
    if (at_ != text_.size()) fail("something follows the header");
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::corrupt, "the array's header: " + message,
                place_in(file_, offset_ + at_), "use another file");
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  std::int64_t integer() {
    skip_space();
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a size is missing, negative or too large");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string_view text_;
  const FileSlice& file_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
};

NumpyDtype Literal::descr(int depth) {
  if (depth > kDepthMax) fail("types are nested too deep");
  if (!accept('[')) {
    const std::string_view text = quoted();
    const auto type = parse_numpy_dtype(text);
    if (!type) fail("the element type '" + std::string(text) + "' is not known");
    return *type;
  }
  std::uint64_t bytes = 0;
  NumpyDtype whole;
  while (!accept(']')) {
    expect('(');
    if (accept('(')) {  // (title, name)
      quoted();
      expect(',');
    }
    quoted();
    accept(')');
    expect(',');
    const NumpyDtype field = descr(depth + 1);
    std::uint64_t count = 1;
    if (accept(',')) {
      const auto elements = element_count(shape());
      if (!elements || *elements > kItemBytesMax) fail("a field is too large");
      count = *elements;
    }
    expect(')');
    whole.is_object = whole.is_object || field.is_object;
    bytes += count * field.item_bytes;
    if (bytes > kItemBytesMax) fail("an element is too large");
    if (!accept(',')) {
      expect(']');
      break;
    }
  }
  whole.dtype = Dtype::text;
  whole.kind = 'V';
  whole.item_bytes = static_cast<std::uint32_t>(bytes);
  return whole;
}

}  // namespace

NpyHeader read_npy_header(const FileSlice& begin) {
  ByteReader reader(begin, kMagicBytes);
  const int major = reader.u8("version");
  reader.u8("version");
  if (major < 1 || major > 3) {
    throw Error(ErrorCode::unsupported,
                "version " + std::to_string(major) + " of the .npy format is not known",
                place_in(begin, kMagicBytes), "use versions 1 to 3");
  }
  const std::uint64_t length =
      major == 1 ? reader.u16("header length") : reader.u32("header length");
  if (length > kNpyHeaderMax)
    reader.fail("the array's header is longer than " + std::to_string(kNpyHeaderMax) + " bytes");
  const std::uint64_t at = reader.position();
  Literal literal(characters(reader.take(length, "the array's header")), begin, at);
  NpyHeader header;
  header.bytes = reader.position();
  int seen = 0;
  literal.expect('{');
  while (!literal.accept('}')) {
    const std::string_view name = literal.quoted();
    literal.expect(':');
    if (name == "descr") {
      header.type = literal.descr();
      seen |= 1;
    } else if (name == "fortran_order") {
      header.is_fortran = literal.boolean();
      seen |= 2;
    } else if (name == "shape") {
      header.shape = literal.shape();
      seen |= 4;
    } else {
      literal.fail("'" + std::string(name) + "' is not known");
    }
    literal.accept(',');
  }
  literal.end();
  if (seen != 7) literal.fail("descr, fortran_order or shape is missing");
  return header;
}

}  // namespace samestep
