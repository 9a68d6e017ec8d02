#include "capture/seal.h"

#include <span>

#include "checkpoint/hasher.h"
#include "schemas/capture.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::string_view kKey = R"("checksum": ")", kEnd = "\"\n}\n";
constexpr std::size_t kDigits = 32;
constexpr std::size_t kTailBytes = kKey.size() + kDigits + kEnd.size();

std::string checksum_of(std::string_view text) {
  return digest_of_chunk(std::as_bytes(std::span(text.data(), text.size()))).hex();
}

bool has_tail(std::string_view document) {
  return document.size() > kTailBytes && document.ends_with(kEnd) &&
         document.substr(document.size() - kTailBytes).starts_with(kKey);
}

}  // namespace

std::string sealed(std::string document) {
  SAMESTEP_CHECK(has_tail(document));
  const std::size_t body = document.size() - kTailBytes;
  const std::string checksum = checksum_of(std::string_view(document).substr(0, body));
  return document.replace(body + kKey.size(), kDigits, checksum);
}

void check_seal(std::string_view document, const std::string& where) {
  const auto begins_as = [document](const char* schema) {
    return document.starts_with(std::string("{\n  \"schema\": \"") + schema + '"');
  };
  if (!begins_as(kCaptureSchema) && !begins_as(kCaptureSchemaV3)) return;
  const std::size_t body = document.size() - std::min(document.size(), kTailBytes);
  if (has_tail(document) &&
      checksum_of(document.substr(0, body)) == document.substr(body + kKey.size(), kDigits))
    return;
  throw Error(ErrorCode::corrupt,
              "the record is not as it was written: its checksum does not match", where,
              "the file is damaged: restore it, or record the capture again");
}

}  // namespace samestep
