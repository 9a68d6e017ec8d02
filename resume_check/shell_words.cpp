#include "resume_check/shell_words.h"

#include <charconv>

#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::string_view kBlank = " \t\n\r";
constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_{}";

// Reads one word; `at` stands at its first character and is moved behind it.
class WordReader {
 public:
  WordReader(std::string_view text, std::size_t& at) : text_(text), at_(at) {}

  std::string read() {
    while (at_ < text_.size() && kBlank.find(text_[at_]) == kBlank.npos) {
      const char c = text_[at_++];
      if (c == '$' && text_.substr(at_).starts_with('\'')) {
        ++at_;
        dollar_quoted();
      } else if (c == '\'') {
        single_quoted();
      } else if (c == '"') {
        double_quoted();
      } else if (c == '\\') {
        word_ += next("a backslash ends the text");
      } else {
        word_ += c;
      }
    }
    return word_;
  }

 private:
  char next(const char* what_is_wrong) {
    if (at_ >= text_.size()) {
      throw Error(ErrorCode::usage, what_is_wrong, std::string(text_),
                  "close the quote, or quote the quote character itself");
    }
    return text_[at_++];
  }

  void single_quoted() {
    for (;;) {
      const char c = next("a single quote never ends");
      if (c == '\'') return;
      word_ += c;
    }
  }

  // The escapes that shell_text writes.
  void dollar_quoted() {
    constexpr const char* kOpen = "a single quote never ends";
    for (;;) {
      const char c = next(kOpen);
      if (c == '\'') return;
      const char escaped = c == '\\' ? next(kOpen) : c;
      if (c != '\\' || escaped != 'x') {
        word_ += escaped;
        continue;
      }
      const std::string digits{next(kOpen), next(kOpen)};
      unsigned byte = 0;
      const auto end = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
      if (end.ptr != digits.data() + 2) {
        throw Error(ErrorCode::usage, "two digits must follow \\x", std::string(text_));
      }
      word_ += static_cast<char>(byte);
    }
  }

  void double_quoted() {
    constexpr std::string_view kEscapable = "$`\"\\\n";
    constexpr const char* kOpen = "a double quote never ends";
    for (;;) {
      const char c = next(kOpen);
      if (c == '"') return;
      if (c != '\\') {
        word_ += c;
        continue;
      }
      const char escaped = next(kOpen);
      if (kEscapable.find(escaped) == kEscapable.npos) word_ += '\\';
      word_ += escaped;
    }
  }

  std::string_view text_;
  std::size_t& at_;
  std::string word_;
};

// The form in which bytes that a terminal would not show can be pasted.
std::string escaped(const std::string& word) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string text = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      text += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text + "'";
}

std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  if (printable(word, word.size()) != word) return escaped(word);
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace

std::vector<std::string> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  for (;;) {
    at = text.find_first_not_of(kBlank, at);
    if (at == text.npos) return words;
    words.push_back(WordReader(text, at).read());
  }
}

std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

}  // namespace samestep
