// Small parts of every text for a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schemas/count_text.h"
#include "schemas/field.h"
#include "schemas/report.h"
#include "tools/screen.h"

namespace samestep {

/// "0 bytes", "1 byte", "12.3 MiB".
std::string bytes_text(std::uint64_t bytes);
/// A digest of any kind in text: its first 16 digits and an ellipsis. JSON holds all of them.
std::string digest_text(std::string_view hex);
/// "float32 [2, 3]".
std::string tensor_text(std::string_view dtype, const std::vector<std::int64_t>& shape);
/// What a field holds, in one short piece: a tensor's dtype and shape (its value when it is one
/// element), a value, the class of an opaque object.
std::string content_text(const Field& field);

/// The verdict in the verb's own word: "intact" or "damaged" of verify, "passed" or "refused" of
/// the gate. Documents have one word for all verbs.
std::string verdict_word(const Report& report);

/// How a verb's coverage is called.
struct CoverageWords {
  const char *title, *equal, *left_out;
};
CoverageWords coverage_words(const Report& report);

/// Rows of two columns: the left one as wide as its widest text (at most 60), indented by two.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows,
                        const Screen& screen, Screen::Ink left = Screen::Ink::plain);
/// `title` and a bullet for each line; nothing when there is none.
std::string bullets(const std::string& title, const std::vector<std::string>& lines,
                    const Screen& screen);

}  // namespace samestep
