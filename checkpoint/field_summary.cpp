#include "checkpoint/field_summary.h"

#include <cstring>
#include <string_view>
#include <vector>

#include "checkpoint/hasher.h"
#include "schemas/check.h"

namespace samestep {
namespace {

constexpr std::uint32_t kSummaryVersion = 1;

class SummaryRecord {
 public:
  template <typename T>
  void number(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  Digest digest() const { return digest_of_chunk(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

CaptureSummary summary_of(std::span<const Field> fields) {
  CaptureSummary summary;
  SummaryRecord record;
  record.number(kSummaryVersion);
  for (const Field& field : fields) {
    SAMESTEP_CHECK(field.digest);
    record.text(field.path.text());
    record.number(static_cast<std::uint8_t>(field.kind));
    record.number(field.digest->low);
    record.number(field.digest->high);
    record.number(static_cast<std::uint32_t>(field.layout.strides.size()));
    for (const std::int64_t stride : field.layout.strides) record.number(stride);
    ++summary.components[field.path.component()];
    if (field.kind == FieldKind::opaque) ++summary.opaque;
  }
  summary.fields = record.digest();
  return summary;
}

}  // namespace samestep
